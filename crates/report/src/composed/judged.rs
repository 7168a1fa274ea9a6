//! What was judged, and against what.

use crate::document::Report;

/// What was judged, in one sentence.
pub fn judged(report: &Report) -> String {
    let data = &report.provenance.data;
    let counts = format!(
        "judged ({} members, {} non-members)",
        data.judged_members,
        data.judged_records - data.judged_members
    );
    report.detail.particulars().judged(data, &counts)
}
