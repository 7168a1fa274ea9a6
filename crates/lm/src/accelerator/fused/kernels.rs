//! Kernels, compiled for one precision and one width of heads when a model is opened.

use candle_core::cuda::cudarc::driver::sys;
use candle_core::cuda::cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use candle_core::cuda::cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};
use candle_core::cuda::{CudaDevice, WrapErr};
use candle_core::{DType, Result};

use super::super::packed::TILE;
use super::Address;

const SOURCE: &str = concat!(
    include_str!("kernels/common.cu"),
    include_str!("kernels/rows.cu"),
    include_str!("kernels/attention.cu"),
    include_str!("kernels/head.cu"),
);

/// Of freed memory the driver may keep so many bytes for the next pass, where it would give back
/// and ask again for all.
const KEPT: u64 = 4 << 30;

pub(super) struct Kernels {
    device: CudaDevice,
    pub(super) embed: CudaFunction,
    pub(super) normalise: CudaFunction,
    pub(super) turn: CudaFunction,
    pub(super) gate: CudaFunction,
    pub(super) attend: CudaFunction,
    pub(super) describe: CudaFunction,
    /// Bytes that a block of `attend` shares.
    pub(super) shared: u32,
}

/// How many blocks of how many threads.
pub(super) struct Grid {
    pub(super) blocks: (usize, usize),
    pub(super) threads: u32,
    pub(super) shared: u32,
}

impl Grid {
    pub(super) fn new(blocks: usize, threads: u32) -> Self {
        Self {
            blocks: (blocks, 1),
            threads,
            shared: 0,
        }
    }
}

pub(super) enum Argument {
    At(Address),
    Count(i32),
    Size(u64),
    Number(f32),
}

impl Kernels {
    pub(super) fn new(device: &CudaDevice, kind: DType, head_width: usize) -> Result<Self> {
        let mut options = vec![
            format!("-DHEAD_WIDTH={head_width}"),
            "-std=c++17".to_owned(),
        ];
        if kind == DType::F16 {
            options.push("-DSIXTEEN_IS_F16".to_owned());
        }
        // The driver makes of it what newer devices run.
        let options = CompileOptions {
            arch: Some("compute_80"),
            options,
            ..CompileOptions::default()
        };
        let compiled = compile_ptx_with_opts(SOURCE, options).map_err(refusal)?;
        let module = device.cuda_stream().context().load_module(compiled).w()?;
        let shared = shared_by_attention(head_width);
        let attend = module.load_function("attend").w()?;
        let most = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        attend.set_attribute(most, shared as i32).w()?;
        Ok(Self {
            device: device.clone(),
            embed: module.load_function("embed").w()?,
            normalise: module.load_function("normalise").w()?,
            turn: module.load_function("turn").w()?,
            gate: module.load_function("gate").w()?,
            attend,
            describe: module.load_function("describe").w()?,
            shared,
        })
    }

    pub(super) fn launch(
        &self,
        function: &CudaFunction,
        grid: Grid,
        arguments: &[Argument],
    ) -> Result<()> {
        if grid.blocks.0 == 0 || grid.blocks.1 == 0 {
            return Ok(());
        }
        let stream = self.device.cuda_stream();
        let mut launch = stream.launch_builder(function);
        for argument in arguments {
            match argument {
                Argument::At(address) => launch.arg(address),
                Argument::Count(count) => launch.arg(count),
                Argument::Size(size) => launch.arg(size),
                Argument::Number(number) => launch.arg(number),
            };
        }
        let config = LaunchConfig {
            grid_dim: (grid.blocks.0 as u32, grid.blocks.1 as u32, 1),
            block_dim: (grid.threads, 1, 1),
            shared_mem_bytes: grid.shared,
        };
        // SAFETY: arguments are those of the kernel in number and kind, and its addresses are of
        // memory that lives until the pass is over; the stream runs one kernel after another.
        unsafe { launch.launch(config) }.w().map(|_| ())
    }
}

/// As `attention.cu` lays it out: one tile of queries, two of keys and two of values.
fn shared_by_attention(head_width: usize) -> u32 {
    let padded = head_width.next_multiple_of(16);
    let columns = if padded > 128 { 32 } else { 64 };
    ((TILE + 4 * columns) * (padded + 8) * size_of::<u16>()) as u32
}

fn refusal(error: CompileError) -> candle_core::Error {
    let CompileError::CompileError { nvrtc, log, .. } = error else {
        return candle_core::Error::Msg(format!("kernels cannot be compiled: {error:?}"));
    };
    let log = log.to_string_lossy();
    let first = log.lines().next().unwrap_or_default();
    candle_core::Error::Msg(format!("kernels cannot be compiled: {nvrtc:?}, {first}"))
}

pub(super) fn keep_freed_memory(device: &CudaDevice) -> Result<()> {
    let stream = device.cuda_stream();
    let context = stream.context();
    if !context.has_async_alloc() {
        return Ok(());
    }
    let mut pool: sys::CUmemoryPool = std::ptr::null_mut();
    let mut kept = KEPT;
    let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: both calls get valid places to write to and read from, of the sizes that the driver
    // documents for them.
    unsafe {
        let device = context.cu_device();
        sys::cuDeviceGetDefaultMemPool(&mut pool, device)
            .result()
            .w()?;
        sys::cuMemPoolSetAttribute(pool, threshold, (&raw mut kept).cast())
            .result()
            .w()
    }
}
