//! What a device complains of, and what helps.

use crate::{Error, ErrorKind};

const NO_DEVICE: &str = "see with nvidia-smi whether this machine has a device and a driver, and \
                         whether CUDA_VISIBLE_DEVICES hides it, or run on the CPU";
const NUMBER: &str = "devices are numbered from 0: nvidia-smi lists them, and \
                      CUDA_VISIBLE_DEVICES may hide some";
const STUB: &str = "the toolkit's stub stands in for the driver: take its folder `stubs` out of \
                    LD_LIBRARY_PATH";
const OLD_DRIVER: &str = "the driver is older than the CUDA toolkit of this build: update the \
                          driver, or build with an older toolkit";
const OTHER_CHIP: &str = "this build is for newer devices: build with CUDA_COMPUTE_CAP set to what \
                          `nvidia-smi --query-gpu=compute_cap --format=csv` says, without the dot";
const UNKNOWN: &str = "check the device and its driver with nvidia-smi, or run on the CPU";

/// Parts of the driver's names for errors.
const REMEDIES: [(&str, &str); 11] = [
    ("NO_DEVICE", NO_DEVICE),
    ("NOT_INITIALIZED", NO_DEVICE),
    ("INVALID_DEVICE", NUMBER),
    ("STUB_LIBRARY", STUB),
    ("INSUFFICIENT_DRIVER", OLD_DRIVER),
    ("DRIVER_MISMATCH", OLD_DRIVER),
    ("UNSUPPORTED_PTX_VERSION", OLD_DRIVER),
    ("NO_BINARY_FOR_GPU", OTHER_CHIP),
    ("INVALID_PTX", OTHER_CHIP),
    ("ARCH_MISMATCH", OTHER_CHIP),
    ("INVALID_IMAGE", OTHER_CHIP),
];

/// The device cannot be used at all.
pub(super) fn unusable(number: usize, error: &candle_core::Error) -> Error {
    let message = format!("CUDA device {number} cannot be used: {}", cause(error));
    Error::new(ErrorKind::Device, message).hint(remedy(&cause(error), NO_DEVICE))
}

/// The device failed at work; `when_full` helps where it has too little memory.
pub(super) fn failed(error: &candle_core::Error, when_full: &str) -> Error {
    let cause = cause(error);
    if cause.contains("OUT_OF_MEMORY") || cause.contains("ALLOC_FAILED") {
        let message = format!("the device has too little memory: {cause}");
        return Error::new(ErrorKind::Device, message).hint(when_full);
    }
    let message = format!("the device failed: {cause}");
    Error::new(ErrorKind::Device, message).hint(remedy(&cause, UNKNOWN))
}

/// In one line: what follows is where in candle it happened.
fn cause(error: &candle_core::Error) -> String {
    let shown = error.to_string();
    shown.lines().next().unwrap_or_default().to_owned()
}

fn remedy(cause: &str, otherwise: &'static str) -> &'static str {
    let known = REMEDIES.iter().find(|(name, _)| cause.contains(name));
    known.map_or(otherwise, |(_, remedy)| remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(text: &str) -> candle_core::Error {
        candle_core::Error::Msg(text.into())
    }

    #[test]
    fn a_full_device_asks_for_less_at_once() {
        let error = complaint("DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")\n   0: at");
        let error = failed(&error, "take fewer");
        assert_eq!(error.kind, ErrorKind::Device);
        assert_eq!(
            error.to_string(),
            "the device has too little memory: DriverError(CUDA_ERROR_OUT_OF_MEMORY, \"out of \
             memory\"); hint: take fewer"
        );
    }

    #[test]
    fn known_complaints_have_their_own_remedies() {
        let hint = |text| failed(&complaint(text), "").hint.unwrap();
        assert_eq!(hint("CUDA_ERROR_INVALID_DEVICE"), NUMBER);
        assert_eq!(
            hint("CUDA_ERROR_NO_BINARY_FOR_GPU when loading cast"),
            OTHER_CHIP
        );
        assert_eq!(hint("CUDA_ERROR_ILLEGAL_ADDRESS"), UNKNOWN);
    }
}
