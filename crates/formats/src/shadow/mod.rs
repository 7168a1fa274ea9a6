//! Shadow signals on disk: one file per layout, one line per layout in the registry.

mod classes;
mod draft;
pub mod folder;
pub mod ids;
mod in_memory;
pub mod keep;
mod labels;
mod lira;
mod lira_analysis;
mod lira_pytorch;
pub mod matrix;
mod model_files;
mod npy_pair;
pub mod npz;
pub mod parquet;
pub mod parquet_column;
pub mod parquet_list;
mod parquet_write;
mod phi;
mod privacy_meter;
mod registry;
pub(crate) mod safetensors;
mod scan;
mod select;
mod table;

pub use self::classes::SUM_TOLERANCE;
pub use crate::files::Overwrite;
pub use in_memory::from_arrays;
pub use registry::{Format, Writer, beside, formats, read, write};
pub use table::{Saturation, ShadowTable};

/// The models of a run of ours, in the order of the folders.
pub fn read_models(
    top: &std::path::Path,
    folders: Vec<std::path::PathBuf>,
) -> crate::Result<ShadowTable> {
    lira_pytorch::read_models("guestlist-run", top, folders)
}

/// Class numbers stored as one array, one per record.
pub fn labels_of(array: &crate::array::Array) -> crate::Result<Vec<i64>> {
    labels::read(array, array.extent(array.shape.first().map(|_| 0)))
}
