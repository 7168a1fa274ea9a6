//! What guardrails find before the work begins.

use judge::guardrails::{Finding, Status};
use serde_json::json;

use super::console::Console;

/// Worth knowing before anything is spent.
pub fn tell(findings: &[Finding], console: &Console) {
    for finding in findings {
        console.event(&json!({
            "event": "guardrail", "id": finding.id, "status": finding.status,
            "detail": finding.detail,
        }));
        let word = match finding.status {
            Status::Violated => "violated",
            _ => "warning",
        };
        console.note(&format!("{word} {}: {}", finding.id, finding.detail));
    }
}
