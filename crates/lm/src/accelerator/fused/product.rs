//! Matrix products in 16 bits with sums in f32, by cuBLAS.

use std::ffi::c_void;

use candle_core::cuda::WrapErr;
use candle_core::cuda::cudarc::cublas::result::gemm_ex;
use candle_core::cuda::cudarc::cublas::sys::{
    cublasComputeType_t, cublasGemmAlgo_t, cublasOperation_t, cudaDataType,
};
use candle_core::{DType, Result, Tensor};

use super::{Address, Fused, address};

/// Where a product goes.
pub(super) enum Into {
    /// In 16 bits.
    Sixteen(Address),
    /// To f32 that is there already.
    Added(Address),
    /// In f32, its rows so many values apart.
    Exact(Address, usize),
}

impl Fused {
    /// [rows, inner] in 16 bits times a weight of [inner, columns].
    pub(super) fn product(
        &self,
        input: Address,
        rows: usize,
        weight: &Tensor,
        out: Into,
    ) -> Result<()> {
        if rows == 0 {
            return Ok(());
        }
        let (inner, columns) = weight.dims2()?;
        let sixteen = match self.kind {
            DType::F16 => cudaDataType::CUDA_R_16F,
            _ => cudaDataType::CUDA_R_16BF,
        };
        let (out, out_type, apart, before) = match out {
            Into::Sixteen(out) => (out, sixteen, columns, 0.0f32),
            Into::Added(out) => (out, cudaDataType::CUDA_R_32F, columns, 1.0),
            Into::Exact(out, apart) => (out, cudaDataType::CUDA_R_32F, apart, 0.0),
        };
        // cuBLAS takes columns for rows, so it is asked for the transposed product.
        let (turned, leading) = match weight.stride() {
            [1, apart] => (cublasOperation_t::CUBLAS_OP_T, *apart),
            [apart, 1] => (cublasOperation_t::CUBLAS_OP_N, *apart),
            other => candle_core::bail!("a weight has strides {other:?}"),
        };
        let once = 1.0f32;
        // SAFETY: all addresses are of memory of these sizes that lives until the pass is over.
        unsafe {
            gemm_ex(
                *self.device.cublas_handle().handle(),
                turned,
                cublasOperation_t::CUBLAS_OP_N,
                columns as i32,
                rows as i32,
                inner as i32,
                (&raw const once).cast(),
                address(weight)? as *const c_void,
                sixteen,
                leading as i32,
                input as *const c_void,
                sixteen,
                inner as i32,
                (&raw const before).cast(),
                out as *mut c_void,
                out_type,
                apart as i32,
                cublasComputeType_t::CUBLAS_COMPUTE_32F,
                cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        }
        .w()
    }
}
