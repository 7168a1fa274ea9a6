//! Canaries, drawn, checked and read back.

use std::collections::BTreeMap;
use std::path::PathBuf;

use guestlist::Error;
use guestlist::canaries::check::{SeenInTraining, TRAPS, note};
use guestlist::canaries::{
    CheckSettings, Kind, Manifest, SealedTruth, check, designs, draw_classifier, draw_lm,
};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors::Outcome;
use crate::follow::{Listener, follow};
use crate::options;

/// Draws canaries of a kind: what was drawn, as JSON.
#[pyfunction]
pub fn canaries_draw<'py>(
    py: Python<'py>,
    kind: &str,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<String> {
    let drawn = match kind {
        "lm" => {
            let request = options::request(options)?;
            follow(py, &listener, move |progress| draw_lm(&request, progress))?
        }
        "classifier" => {
            let request = options::request(options)?;
            follow(py, &listener, move |progress| {
                draw_classifier(&request, progress)
            })?
        }
        other => {
            let message = format!("there are no canaries of kind {other}");
            return Err(Error::usage(message, "kinds are lm and classifier").into());
        }
    };
    let mut told = json!(drawn);
    told["path"] = json!(drawn.manifest.path);
    Ok(told.to_string())
}

/// Looks for traps: what was found, as JSON.
#[pyfunction]
pub fn canaries_check<'py>(
    py: Python<'py>,
    manifest: PathBuf,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<String> {
    let settings: CheckSettings = options::request(options)?;
    let found = follow(py, &listener, move |progress| {
        check(&manifest, &settings, progress)
    })?;
    Ok(json!(found).to_string())
}

/// Notes in the manifest what was seen in the batches of a trainer.
#[pyfunction]
pub fn canaries_note(py: Python<'_>, manifest: PathBuf, seen: &str) -> Outcome<()> {
    let seen: SeenInTraining = options::request(seen)?;
    follow(py, &None, move |_| note(&manifest, &seen).map(|_| ()))?;
    Ok(())
}

/// The manifest, where its files lie, and all canaries, as JSON.
#[pyfunction]
pub fn canaries_read(py: Python<'_>, manifest: PathBuf) -> Outcome<String> {
    let told = follow(py, &None, move |_| {
        let manifest = Manifest::read(&manifest)?;
        let places = manifest.files.iter().map(|file| {
            let place = manifest.folder().join(&file.path);
            (file.role.to_string(), json!(place))
        });
        let places: BTreeMap<String, Value> = places.collect();
        let canaries = manifest.canaries()?;
        Ok(
            json!({"manifest": manifest, "path": manifest.path, "places": places, "canaries": canaries}),
        )
    })?;
    Ok(told.to_string())
}

/// Who was chosen, by id, as JSON.
#[pyfunction]
pub fn canaries_truth(py: Python<'_>, manifest: PathBuf) -> Outcome<String> {
    let truth = follow(py, &None, move |_| {
        SealedTruth::open(&Manifest::read(&manifest)?)
    })?;
    let coins: BTreeMap<&str, bool> = truth.coins().collect();
    Ok(json!(coins).to_string())
}

/// Designs and traps in words, as JSON.
#[pyfunction]
pub fn canaries_words() -> String {
    let design = |kind: Kind| {
        let cards = designs::cards(kind).into_iter();
        cards.map(move |card| {
            json!({
                "id": card.id, "kind": kind, "summary": card.summary, "why": card.why,
                "weak": card.weak, "paper": card.paper,
            })
        })
    };
    let designs: Vec<Value> = design(Kind::Lm).chain(design(Kind::Classifier)).collect();
    let trap = |trap: &guestlist::canaries::check::Trap| json!({"id": trap.id, "summary": trap.summary, "remedy": trap.remedy});
    let traps: Vec<Value> = TRAPS.iter().map(trap).collect();
    json!({"designs": designs, "traps": traps}).to_string()
}
