//! Tables 2 and 3 of the paper: rates, sizes and published values.

/// One attack on one data set.
pub struct Row {
    pub method: &'static str,
    pub dataset: &'static str,
    /// True-positive rates at 0.001% and at 0.1% false positives.
    pub rare: f64,
    pub frequent: f64,
    /// Members that regime A and regime B were computed with.
    pub members_a: f64,
    pub members_b: f64,
    pub test_b: u64,
    pub fp_paper: u64,
    pub published_a: f64,
    pub published_b: f64,
}

/// Name, members of regimes A and B, records of regime B, and the false positives that the paper must have allowed.
type Data = (&'static str, f64, f64, u64, u64);

const C10: Data = ("C-10", 25_000.0, 25_000.0, 50_000, 10);
const C100: Data = ("C-100", 25_000.0, 25_000.0, 50_000, 10);
const WT103: Data = ("WT103", 50_000.0, 500_000.0, 1_000_000, 14);

/// Rates, then the values of regimes A and B.
const fn row(method: &'static str, data: Data, rates: [f64; 2], values: [f64; 2]) -> Row {
    let (dataset, members_a, members_b, test_b, fp_paper) = data;
    Row {
        method,
        dataset,
        rare: rates[0],
        frequent: rates[1],
        members_a,
        members_b,
        test_b,
        fp_paper,
        published_a: values[0],
        published_b: values[1],
    }
}

pub const ROWS: [Row; 20] = [
    row("Yeom", C10, [0.0, 0.0], [0.0, 0.0]),
    row("Yeom", C100, [0.0, 0.0], [0.0, 0.0]),
    row("Yeom", WT103, [0.0, 0.001], [0.0, 0.206]),
    row("Shokri", C10, [0.0, 0.003], [0.0, 0.339]),
    row("Shokri", C100, [0.0, 0.016], [0.0, 0.502]),
    row("Jayaraman", C10, [0.0, 0.0], [0.0, 0.0]),
    row("Jayaraman", C100, [0.0, 0.0], [0.0, 0.0]),
    row("Song-Mittal", C10, [0.0, 0.001], [0.0, 0.237]),
    row("Song-Mittal", C100, [0.0, 0.015], [0.0, 0.495]),
    row("Sablayrolles", C10, [0.001, 0.017], [0.32, 0.516]),
    row("Sablayrolles", C100, [0.008, 0.074], [0.52, 0.667]),
    row("Sablayrolles", WT103, [0.0001, 0.01], [0.17, 0.4]),
    row("Long", C10, [0.0, 0.022], [0.0, 0.533]),
    row("Long", C100, [0.0, 0.047], [0.0, 0.608]),
    row("Watson", C10, [0.001, 0.013], [0.32, 0.492]),
    row("Watson", C100, [0.009, 0.054], [0.54, 0.643]),
    row("Watson", WT103, [0.0002, 0.011], [0.22, 0.421]),
    row("Carlini-LiRA", C10, [0.022, 0.084], [0.62, 0.698]),
    row("Carlini-LiRA", C100, [0.112, 0.276], [0.78, 0.829]),
    row("Carlini-LiRA", WT103, [0.0009, 0.014], [0.35, 0.492]),
];
