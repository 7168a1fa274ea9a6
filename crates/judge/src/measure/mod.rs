//! One file per measure. Each takes the ROC counts of one attack, sorted once by the caller.

pub mod accuracy;
pub mod auc;
pub mod bootstrap;
pub mod calibration;
mod chance;
pub(crate) mod draws;
pub mod log_mia;
pub mod log_mia_null;
pub mod paired;
pub mod tpr;

pub use accuracy::{Advantage, BalancedAccuracy, PositivePredictiveValue, Precision};
pub use auc::{Auc, AucScale};
pub use bootstrap::{Bootstrap, BootstrapInterval};
pub use calibration::{Calibrated, Rate};
pub use log_mia::{FalsePositiveRule, Level, LogMia, Regime};
pub use paired::{PairedDifference, paired};
pub use tpr::TprAtFpr;
