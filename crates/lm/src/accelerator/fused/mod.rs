//! A batch in kernels of our own, for 16 bits on NVIDIA devices: the state that layers add to stays
//! in f32, scores of attention are never in memory, and one pass over a block of logits says all.
//!
//! What the kernels do not cover goes through candle's operations, as does f32.

mod head;
mod kernels;
mod pass;
mod product;

use std::sync::Mutex;

use candle_core::cuda::cudarc::driver::sys::CUdevice_attribute;
use candle_core::cuda::cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr};
use candle_core::cuda::{CudaDevice, WrapErr};
use candle_core::{DType, Device, Result, Storage, Tensor};

use super::upload::Block;
use crate::config::Config;
use kernels::Kernels;

/// Where something begins in the device's memory; 0 where it is left out.
type Address = u64;

/// The widest head whose sums fit into the registers.
const WIDEST_HEAD: usize = 256;
/// Products of bf16 and copies that do not wait came with compute capability 8.0.
const OLDEST_DEVICE: i32 = 8;

pub(super) struct Fused {
    device: CudaDevice,
    kind: DType,
    kernels: Kernels,
    /// For each layer.
    late: Vec<Late>,
    turning: Mutex<Option<Turning>>,
}

/// Biases, in f32, that are added to the state when it is next read: products add to the state
/// itself.
#[derive(Default)]
struct Late {
    after_attention: Option<Tensor>,
    after_feed_forward: Option<Tensor>,
}

/// Cosines and sines of the first positions.
struct Turning {
    positions: usize,
    cosines: CudaSlice<f32>,
    sines: CudaSlice<f32>,
}

impl Fused {
    pub(super) fn covers(config: &Config, device: &Device, kind: DType) -> Result<bool> {
        let Device::Cuda(device) = device else {
            return Ok(false);
        };
        let stream = device.cuda_stream();
        let capability = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
        let recent = stream.context().attribute(capability).w()? >= OLDEST_DEVICE;
        let sixteen = matches!(kind, DType::BF16 | DType::F16);
        // Eight values are read at once, and pairs of pairs are turned.
        let widths = [config.width, config.hidden, config.head_width];
        let whole = widths.iter().all(|width| width.is_multiple_of(8));
        let turning = config.rope.as_ref().map_or(0, |rope| rope.width);
        let turning = turning.is_multiple_of(4);
        Ok(recent && sixteen && whole && turning && config.head_width <= WIDEST_HEAD)
    }

    pub(super) fn new(
        config: &Config,
        device: &Device,
        kind: DType,
        blocks: &[Block],
    ) -> Result<Self> {
        let device = device.as_cuda_device()?.clone();
        kernels::keep_freed_memory(&device)?;
        Ok(Self {
            kernels: Kernels::new(&device, kind, config.head_width)?,
            kind,
            late: late(blocks, config.parallel)?,
            turning: Mutex::new(None),
            device,
        })
    }

    /// Memory whose every value is written before it is read.
    fn room<T: DeviceRepr>(&self, count: usize) -> Result<CudaSlice<T>> {
        // SAFETY: the kernels and products of a pass write all of what later ones read.
        unsafe { self.device.alloc(count.max(1)) }
    }

    fn place<T>(&self, memory: &CudaSlice<T>) -> Address {
        memory.device_ptr(&self.device.cuda_stream()).0
    }
}

fn late(blocks: &[Block], parallel: bool) -> Result<Vec<Late>> {
    let exactly = |bias: &Option<Tensor>| {
        let bias = bias.as_ref();
        bias.map(|bias| bias.to_dtype(DType::F32)).transpose()
    };
    let late = blocks.iter().map(|block| {
        let after_attention = exactly(&block.attention_out.bias)?;
        let after_feed_forward = exactly(&block.down.bias)?;
        if !parallel {
            return Ok(Late {
                after_attention,
                after_feed_forward,
            });
        }
        let both = match (after_attention, after_feed_forward) {
            (Some(one), Some(other)) => Some((one + other)?),
            (one, other) => one.or(other),
        };
        Ok(Late {
            after_attention: None,
            after_feed_forward: both,
        })
    });
    late.collect()
}

/// Where a tensor's values begin.
fn address(tensor: &Tensor) -> Result<Address> {
    let (storage, layout) = tensor.storage_and_layout();
    let Storage::Cuda(storage) = &*storage else {
        candle_core::bail!("a weight is not on the device")
    };
    let stream = storage.device.cuda_stream();
    let begin = match tensor.dtype() {
        DType::BF16 => storage.as_cuda_slice::<half::bf16>()?.device_ptr(&stream).0,
        DType::F16 => storage.as_cuda_slice::<half::f16>()?.device_ptr(&stream).0,
        DType::F32 => storage.as_cuda_slice::<f32>()?.device_ptr(&stream).0,
        other => candle_core::bail!("a weight is in {other:?}"),
    };
    Ok(begin + (layout.start_offset() * tensor.dtype().size_in_bytes()) as u64)
}

fn optional_address(tensor: Option<&Tensor>) -> Result<Address> {
    tensor.map_or(Ok(0), address)
}
