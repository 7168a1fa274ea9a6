//! Starting and stopping audits, where that is allowed. The guard has seen that the request comes
//! from a page of ours; the token says that it comes from a page of this very process.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Response, Uri};

use super::problem::Problem;
use super::query::Query;
use super::respond;
use super::routes::apart;
use super::token::same;
use crate::folder::address::{Action, Target};
use crate::pages::App;

pub async fn change(
    State(app): State<Arc<App>>,
    uri: Uri,
    body: Bytes,
) -> Result<Response<Body>, Problem> {
    let form = Query::parse(std::str::from_utf8(&body).ok());
    let given = form.get("forgery").unwrap_or_default();
    if !same(given.as_bytes(), app.forgery.as_bytes()) {
        return Err(Problem::forbidden(
            "the page is from an earlier start of the server; load it again",
        ));
    }
    let target = Target::parse(uri.path())?;
    let page = app.site.audit(&target.place);
    let changed = apart(move || {
        let runs = app
            .runs
            .as_ref()
            .ok_or_else(|| Problem::not_found("audits are not started here"))?;
        match target.action {
            Some(Action::Run) => runs.start(&app.root.configured(&target.place)?, &target.place),
            Some(Action::Stop) => runs.stop(&target.place),
            _ => Err(Problem::not_found("there is nothing to change here")),
        }?;
        app.library.look_again();
        Ok(())
    });
    changed.await?;
    Ok(respond::see_other(&page))
}
