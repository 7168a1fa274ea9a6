//! The part of SARIF 2.1.0 that an audit needs, as typed JSON (OASIS standard, 27 March 2020;
//! section numbers below are its own).

use serde::Serialize;
use serde_json::{Map, Value};

/// § 3.13
#[derive(Serialize)]
pub struct Log {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: [Run; 1],
}

/// § 3.14
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    pub tool: Tool,
    pub automation_details: AutomationDetails,
    pub column_kind: &'static str,
    pub results: Vec<Finding>,
}

#[derive(Serialize)]
pub struct Tool {
    pub driver: Driver,
}

/// § 3.19
#[derive(Serialize)]
pub struct Driver {
    pub name: &'static str,
    pub version: String,
    pub rules: Vec<Rule>,
}

/// § 3.17: what comes before the last slash tells one audit of a repository from another.
#[derive(Serialize)]
pub struct AutomationDetails {
    pub id: String,
}

/// § 3.49
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    pub id: String,
    pub name: String,
    pub short_description: Text,
    pub full_description: Text,
    pub help: Text,
    pub default_configuration: Configuration,
    pub properties: Map<String, Value>,
}

/// § 3.50
#[derive(Serialize)]
pub struct Configuration {
    pub level: Level,
}

/// § 3.27
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    pub rule_id: String,
    pub rule_index: usize,
    pub level: Level,
    pub message: Text,
    pub locations: [Location; 1],
    pub partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub properties: Map<String, Value>,
}

/// § 3.27.10
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Error,
    Warning,
    Note,
}

/// § 3.27.17: the one key that GitHub follows an alert by.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fingerprints {
    pub primary_location_line_hash: String,
}

/// § 3.28
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    pub physical_location: PhysicalLocation,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PhysicalLocation {
    pub artifact_location: ArtifactLocation,
    pub region: Region,
}

#[derive(Clone, Serialize)]
pub struct ArtifactLocation {
    pub uri: String,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    pub start_line: u32,
}

/// § 3.11 and § 3.12: plain text, never markup.
#[derive(Serialize)]
pub struct Text {
    pub text: String,
}
