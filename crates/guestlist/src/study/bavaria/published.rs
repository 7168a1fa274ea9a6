//! The paper's own numbers, table by table (BaVarIA, "Exponential-Family Membership Inference", tables 2 to 10, 12
//! and 13; 256 models and 32 targets a data set).

/// One row of a table: a data set, and its values in the order of the table's columns.
pub type Row = (&'static str, &'static [f64]);

/// ΔAUC and ΔTPR at 1% against LiRA with 254 shadows: RMIA, BASE3, BaVarIA-n, BaVarIA-t.
pub const AGAINST_LIRA: [Row; 13] = [
    (
        "C10-R18",
        &[0.002, -0.002, 0.003, 0.001, 0.0, 0.0, 0.0, 0.0],
    ),
    (
        "C10-WRN",
        &[-0.037, -0.029, -0.001, -0.002, 0.0, 0.0, 0.0, 0.0],
    ),
    (
        "C100-R18",
        &[-0.049, -0.247, -0.004, -0.022, 0.0, 0.0, 0.0, 0.0],
    ),
    (
        "C100-WRN",
        &[-0.029, -0.056, -0.002, -0.003, 0.0, 0.001, 0.0, 0.0],
    ),
    (
        "CN10-R18",
        &[-0.081, -0.122, -0.008, -0.013, 0.0, 0.0, 0.0, 0.0],
    ),
    (
        "CN10-WRN",
        &[-0.054, -0.061, -0.003, -0.004, 0.0, 0.001, 0.0, 0.001],
    ),
    (
        "Loc-3",
        &[-0.072, -0.170, -0.009, -0.030, 0.0, 0.001, 0.0, 0.001],
    ),
    (
        "Loc-4",
        &[-0.089, -0.174, -0.003, -0.002, 0.0, 0.002, 0.0, 0.003],
    ),
    ("Pur-3", &[-0.002, -0.004, 0.002, 0.002, 0.0, 0.0, 0.0, 0.0]),
    (
        "Pur-4",
        &[-0.018, -0.017, 0.002, 0.002, 0.0, 0.001, 0.0, 0.001],
    ),
    (
        "Tex-3",
        &[-0.025, -0.066, -0.002, -0.007, 0.0, 0.0, 0.0, 0.0],
    ),
    (
        "Tex-4",
        &[-0.038, -0.087, -0.003, -0.006, 0.0, 0.0, 0.0, 0.0],
    ),
    (
        AVERAGE,
        &[-0.041, -0.086, -0.002, -0.007, 0.0, 0.0, 0.0, 0.001],
    ),
];
/// The row of a table over all data sets of the paper.
pub const AVERAGE: &str = "Average";

/// TPR at 1% of the hierarchy with 8 shadows: BASE1 to BASE4, LiRA, RMIA.
pub const HIERARCHY_8: [Row; 6] = [
    ("C10-WRN", &[0.081, 0.039, 0.070, 0.019, 0.107, 0.081]),
    ("C100-WRN", &[0.191, 0.070, 0.122, 0.036, 0.157, 0.191]),
    ("CN10-WRN", &[0.114, 0.011, 0.112, 0.042, 0.161, 0.114]),
    ("Loc-4", &[0.160, 0.053, 0.230, 0.097, 0.267, 0.160]),
    ("Pur-4", &[0.037, 0.014, 0.029, 0.013, 0.039, 0.037]),
    ("Tex-4", &[0.237, 0.016, 0.211, 0.083, 0.237, 0.237]),
];
/// The same with 64.
pub const HIERARCHY_64: [Row; 6] = [
    ("C10-WRN", &[0.089, 0.055, 0.141, 0.078, 0.078, 0.089]),
    ("C100-WRN", &[0.202, 0.087, 0.200, 0.163, 0.163, 0.202]),
    ("CN10-WRN", &[0.133, 0.009, 0.187, 0.182, 0.182, 0.133]),
    ("Loc-4", &[0.218, 0.064, 0.420, 0.410, 0.410, 0.218]),
    ("Pur-4", &[0.049, 0.013, 0.064, 0.055, 0.055, 0.049]),
    ("Tex-4", &[0.277, 0.013, 0.357, 0.351, 0.351, 0.277]),
];

/// Anderson–Darling: median and share rejected, of IN and of OUT.
pub const NORMALITY: [Row; 12] = [
    ("C10-R18", &[0.475, 0.224, 0.438, 0.194]),
    ("C10-WRN", &[0.342, 0.059, 0.355, 0.065]),
    ("C100-R18", &[1.106, 0.743, 0.388, 0.111]),
    ("C100-WRN", &[0.357, 0.068, 0.369, 0.082]),
    ("CN10-R18", &[0.607, 0.376, 0.420, 0.182]),
    ("CN10-WRN", &[0.934, 0.573, 1.463, 0.672]),
    ("Loc-3", &[1.966, 0.850, 0.402, 0.129]),
    ("Loc-4", &[1.055, 0.705, 0.618, 0.411]),
    ("Pur-3", &[0.403, 0.151, 0.456, 0.204]),
    ("Pur-4", &[0.400, 0.159, 0.437, 0.186]),
    ("Tex-3", &[0.406, 0.172, 0.396, 0.144]),
    ("Tex-4", &[0.437, 0.173, 0.482, 0.267]),
];

/// TPR at 1% by family with 64 shadows: exponential, Gaussian, gamma, beta, RMIA.
pub const FAMILIES_64: [Row; 6] = [
    ("C10-WRN", &[0.011, 0.078, 0.028, 0.011, 0.089]),
    ("C100-WRN", &[0.010, 0.163, 0.045, 0.064, 0.202]),
    ("CN10-WRN", &[0.171, 0.182, 0.047, 0.153, 0.133]),
    ("Loc-4", &[0.039, 0.410, 0.071, 0.125, 0.218]),
    ("Pur-4", &[0.007, 0.055, 0.009, 0.013, 0.049]),
    ("Tex-4", &[0.052, 0.351, 0.077, 0.145, 0.277]),
];

/// AUC with 8 shadows: BaVarIA-n, BaVarIA-t, LiRA, RMIA.
pub const BAYESIAN_8: [Row; 6] = [
    ("C10-WRN", &[0.673, 0.702, 0.664, 0.679]),
    ("C100-WRN", &[0.854, 0.824, 0.778, 0.828]),
    ("CN10-WRN", &[0.673, 0.730, 0.726, 0.708]),
    ("Loc-4", &[0.860, 0.927, 0.915, 0.831]),
    ("Pur-4", &[0.615, 0.624, 0.619, 0.637]),
    ("Tex-4", &[0.805, 0.876, 0.869, 0.855]),
];
/// TPR at 0.1% with 64 shadows, of the same.
pub const BAYESIAN_64: [Row; 6] = [
    ("C10-WRN", &[0.059, 0.048, 0.014, 0.034]),
    ("C100-WRN", &[0.098, 0.067, 0.039, 0.051]),
    ("CN10-WRN", &[0.090, 0.105, 0.085, 0.069]),
    ("Loc-4", &[0.119, 0.261, 0.273, 0.111]),
    ("Pur-4", &[0.011, 0.014, 0.009, 0.011]),
    ("Tex-4", &[0.111, 0.194, 0.181, 0.142]),
];

/// AUC of ELSA with 64 shadows: LiRA, RMIA, ELSA1, 2φ, 3β, 3γ, 3φ, full. The paper does not say which network of
/// each data set.
pub const ELSA_AUC_64: [Row; 6] = [
    (
        "C10",
        &[0.613, 0.668, 0.709, 0.711, 0.713, 0.712, 0.695, 0.694],
    ),
    (
        "C100",
        &[0.698, 0.831, 0.847, 0.799, 0.782, 0.793, 0.790, 0.776],
    ),
    (
        "CN10",
        &[0.651, 0.658, 0.687, 0.707, 0.710, 0.709, 0.711, 0.711],
    ),
    (
        "Loc",
        &[0.882, 0.839, 0.834, 0.941, 0.942, 0.941, 0.940, 0.939],
    ),
    (
        "Pur",
        &[0.638, 0.641, 0.650, 0.650, 0.648, 0.649, 0.643, 0.643],
    ),
    (
        "Tex",
        &[0.833, 0.862, 0.861, 0.895, 0.893, 0.894, 0.894, 0.892],
    ),
];
/// TPR at 0.1% of the same.
pub const ELSA_TPR_64: [Row; 6] = [
    (
        "C10",
        &[0.049, 0.031, 0.026, 0.058, 0.053, 0.060, 0.001, 0.005],
    ),
    (
        "C100",
        &[0.070, 0.060, 0.066, 0.101, 0.067, 0.092, 0.004, 0.003],
    ),
    (
        "CN10",
        &[0.041, 0.047, 0.035, 0.092, 0.087, 0.092, 0.063, 0.050],
    ),
    (
        "Loc",
        &[0.214, 0.111, 0.062, 0.174, 0.143, 0.156, 0.184, 0.126],
    ),
    (
        "Pur",
        &[0.004, 0.010, 0.008, 0.018, 0.015, 0.017, 0.012, 0.010],
    ),
    (
        "Tex",
        &[0.109, 0.154, 0.103, 0.196, 0.166, 0.186, 0.122, 0.093],
    ),
];

/// Offline, mean of twelve data sets: attack, number of shadows, AUC, online less offline, TPR at 1%, the same.
pub const OFFLINE: [(&str, usize, [f64; 4]); 12] = [
    ("lira", 8, [0.755, 0.033, 0.174, 0.034]),
    ("rmia", 8, [0.763, 0.009, 0.144, 0.013]),
    ("bavaria-n", 8, [0.773, 0.013, 0.200, 0.014]),
    ("bavaria-t", 8, [0.778, 0.015, 0.196, 0.005]),
    ("lira", 64, [0.772, 0.042, 0.216, 0.050]),
    ("rmia", 64, [0.769, 0.008, 0.180, 0.013]),
    ("bavaria-n", 64, [0.785, 0.029, 0.246, 0.027]),
    ("bavaria-t", 64, [0.784, 0.031, 0.242, 0.029]),
    ("lira", 254, [0.775, 0.045, 0.233, 0.051]),
    ("rmia", 254, [0.770, 0.008, 0.185, 0.013]),
    ("bavaria-n", 254, [0.786, 0.034, 0.254, 0.031]),
    ("bavaria-t", 254, [0.784, 0.036, 0.249, 0.035]),
];

/// A row of the paper's, and what it calls the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    pub name: &'static str,
    pub values: &'static [f64],
}

impl Found {
    /// Whether the row is of that very data set and network.
    pub fn is_of(self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// What stands before the paper's numbers.
    pub fn label(self, name: &str) -> String {
        match self.is_of(name) {
            true => "paper".into(),
            false => format!("paper, {}, network not named", self.name),
        }
    }
}

/// The row of a data set. ELSA's tables name the data alone, not the network: `Loc-3` finds `Loc`, which may be it
/// or another.
pub fn row(table: &[Row], name: &str) -> Option<Found> {
    let same = |one: &str| one.eq_ignore_ascii_case(name);
    let source = name.split('-').next().unwrap_or(name);
    let found = table.iter().find(|(known, _)| same(known));
    let found = found.or_else(|| {
        let alone = |(known, _): &&Row| !known.contains('-') && known.eq_ignore_ascii_case(source);
        table
            .iter()
            .find(alone)
            .filter(|(known, _)| *known != AVERAGE)
    });
    found.map(|&(name, values)| Found { name, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_their_names() {
        let found = row(&NORMALITY, "loc-3").unwrap();
        assert_eq!((found.values[0], found.is_of("loc-3")), (1.966, true));
        assert_eq!(row(&HIERARCHY_8, "Loc-3"), None);
        assert_eq!(row(&AGAINST_LIRA, "digits"), None);
        assert_eq!(row(&AGAINST_LIRA, "average-3"), None);
    }

    /// The paper has two networks on Location, and does not say which ELSA was run on.
    #[test]
    fn rows_that_name_no_network_say_so() {
        let found = row(&ELSA_AUC_64, "Loc-4").unwrap();
        assert_eq!(found.values[0], 0.882);
        assert_eq!(found.label("Loc-4"), "paper, Loc, network not named");
        assert_eq!(row(&BAYESIAN_8, "Loc-4").unwrap().label("Loc-4"), "paper");
    }

    /// What the paper says of its own columns: a slip of the fingers here would show.
    #[test]
    fn the_average_is_that_of_the_rows() {
        let (_, average) = AGAINST_LIRA[12];
        for (column, average) in average.iter().enumerate() {
            let sum: f64 = AGAINST_LIRA[..12].iter().map(|(_, row)| row[column]).sum();
            // Rows are printed with three digits.
            assert!(
                (sum / 12.0 - average).abs() < 0.0011,
                "{column}: {}",
                sum / 12.0
            );
        }
    }
}
