//! Addresses of audits: `/audits/<folder>/`, `/audits/<folder>/records` and so on. A slash at the end
//! means the folder, so that a folder may be called like a page.

use percent_encoding::percent_decode_str;

use crate::http::problem::Problem;

/// Deeper folders are not shown.
pub const DEEPEST: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Report,
    Records,
    Record(usize),
    Events,
    File,
    Run,
    Stop,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The audit's folder, part by part.
    pub place: Vec<String>,
    /// Nothing for the folder's own page.
    pub action: Option<Action>,
}

impl Target {
    /// Reads the path of an address as it came, still encoded.
    pub fn parse(path: &str) -> Result<Self, Problem> {
        let rest = path.strip_prefix("/audits/");
        let rest = rest.filter(|rest| !rest.starts_with('/'));
        let rest = rest.ok_or_else(refused)?;
        let (folders, last) = rest.rsplit_once('/').unwrap_or(("", rest));
        let mut place = parts(folders)?;
        if last.is_empty() {
            return Self::at(place, None);
        }
        let last = part(last)?;
        let row = last
            .parse()
            .ok()
            .filter(|_| last.bytes().all(|b| b.is_ascii_digit()));
        if let (Some(row), Some("records")) = (row, place.last().map(String::as_str)) {
            place.pop();
            return Self::at(place, Some(Action::Record(row)));
        }
        let action = match last.as_str() {
            "report" => Action::Report,
            "records" => Action::Records,
            "events" => Action::Events,
            "file" => Action::File,
            "run" => Action::Run,
            "stop" => Action::Stop,
            _ => {
                place.push(last);
                return Self::at(place, None);
            }
        };
        Self::at(place, Some(action))
    }

    fn at(place: Vec<String>, action: Option<Action>) -> Result<Self, Problem> {
        match place.len() <= DEEPEST {
            true => Ok(Self { place, action }),
            false => Err(refused()),
        }
    }
}

fn parts(text: &str) -> Result<Vec<String>, Problem> {
    match text {
        "" => Ok(Vec::new()),
        text => text.split('/').map(part).collect(),
    }
}

/// Decoded once; what still looks encoded is a name.
fn part(text: &str) -> Result<String, Problem> {
    let name = percent_decode_str(text)
        .decode_utf8()
        .map_err(|_| refused())?;
    check(&name)?;
    Ok(name.into_owned())
}

/// A name that leads nowhere but down.
pub fn check(name: &str) -> Result<(), Problem> {
    let leads_away = name.is_empty()
        || name == "."
        || name == ".."
        || name.contains(['/', '\\', '\0'])
        || cfg!(windows) && name.contains(':');
    match leads_away {
        true => Err(refused()),
        false => Ok(()),
    }
}

fn refused() -> Problem {
    Problem::bad_request("the address names no place in this folder")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place_and_action(path: &str) -> Option<(Vec<String>, Option<Action>)> {
        let target = Target::parse(path).ok()?;
        Some((target.place, target.action))
    }

    fn place(parts: &[&str]) -> Vec<String> {
        parts.iter().map(|part| (*part).to_owned()).collect()
    }

    #[test]
    fn a_slash_at_the_end_means_the_folder() {
        assert_eq!(place_and_action("/audits/"), Some((vec![], None)));
        assert_eq!(
            place_and_action("/audits/records"),
            Some((vec![], Some(Action::Records)))
        );
        assert_eq!(
            place_and_action("/audits/a/records/"),
            Some((place(&["a", "records"]), None))
        );
        assert_eq!(
            place_and_action("/audits/a%20b/records/17"),
            Some((place(&["a b"]), Some(Action::Record(17))))
        );
        assert_eq!(
            place_and_action("/audits/a/17"),
            Some((place(&["a", "17"]), None))
        );
        assert_eq!(
            place_and_action("/audits/a/records/+17"),
            Some((place(&["a", "records", "+17"]), None))
        );
    }

    #[test]
    fn nothing_leads_up_or_away() {
        let names = [
            "..",
            ".",
            "%2e%2e",
            "%2E.",
            ".%2e",
            "%2e",
            "a%2fb",
            "a%2Fb",
            "..%2f",
            "%5c..",
            "a%5cb",
            "..\\..",
            "%00",
            "a%00b",
            "%c0%ae%c0%ae",
            "%ff",
            "",
            "%2f",
            "%2fetc",
        ];
        for name in names {
            for path in [
                format!("/audits/{name}/"),
                format!("/audits/a/{name}/"),
                format!("/audits/{name}/records"),
                format!("/audits/a/{name}/../records"),
            ] {
                assert_eq!(place_and_action(&path), None, "{path}");
            }
        }
        assert_eq!(place_and_action("/audits/a/b/c/d/e/f/g/"), None);
        // Decoded once and not again: a folder of that name would be meant.
        assert_eq!(
            place_and_action("/audits/%252e%252e/"),
            Some((place(&["%2e%2e"]), None))
        );
    }
}
