// Causal attention without a matrix of scores in memory: softmax over blocks of columns, with the
// largest score so far, as in Dao et al. 2022 (arXiv:2205.14135), algorithm 1. Texts lie one behind
// the other without padding. A warp has 16 rows of queries; products are m16n8k16 in f32.

#define WARPS 4
#define ROWS (16 * WARPS)
#define PADDED ((HEAD_WIDTH + 15) / 16 * 16)
// Fewer columns where the sums of wide heads need the registers.
#define COLUMNS (PADDED > 128 ? 32 : 64)
// 16 bytes more in each row, so that eight rows lie in different banks.
#define STRIDE (PADDED + 8)
#define STEPS (PADDED / 16)

static __device__ __forceinline__ unsigned address(const sixteen *shared) {
    return (unsigned)__cvta_generic_to_shared(shared);
}

// Rows `from` … `from` + count of a head into shared memory; zeros beyond the text and the head.
static __device__ __forceinline__ void fetch(sixteen *to, const sixteen *head, int from, int count,
                                             int length, size width) {
    for (int i = threadIdx.x; i < count * (PADDED / 8); i += 32 * WARPS) {
        const int row = i / (PADDED / 8), column = i % (PADDED / 8) * 8;
        const bool inside = from + row < length && column < HEAD_WIDTH;
        const sixteen *source = inside ? head + (from + row) * width + column : head;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                         address(to + row * STRIDE + column)),
                     "l"(source), "r"(inside ? 16 : 0));
    }
}

static __device__ __forceinline__ void load_four(word out[4], const sixteen *from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(address(from)));
}

static __device__ __forceinline__ void load_four_turned(word out[4], const sixteen *from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(address(from)));
}

static __device__ __forceinline__ void multiply_add(float sum[4], const word a[4], word b0, word b1) {
#ifdef SIXTEEN_IS_F16
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
#else
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
#endif
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static __device__ __forceinline__ float over_quad(float value, bool largest) {
    for (int apart = 1; apart < 4; apart <<= 1) {
        const float other = __shfl_xor_sync(ALL_LANES, value, apart);
        value = largest ? fmaxf(value, other) : value + other;
    }
    return value;
}

// `fused` has rows of all heads' queries, then keys, then values. `tiles` has three numbers for each
// block of queries: the first row of its text, the text's length, the first query. `scale` is that
// of the scores times log2 e.
extern "C" __global__ void __launch_bounds__(32 * WARPS, PADDED > 64 ? 1 : 4)
    attend(sixteen *out, const sixteen *fused, const word *tiles, int heads, int kv_heads,
           float scale) {
    extern __shared__ __align__(16) sixteen memory[];
    sixteen *queries = memory;
    sixteen *keys = queries + ROWS * STRIDE;
    sixteen *values = keys + 2 * COLUMNS * STRIDE;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, head = blockIdx.y;
    const word *tile = tiles + 3 * (size)blockIdx.x;
    const size start = tile[0], width = (size)(heads + 2 * kv_heads) * HEAD_WIDTH;
    const int length = tile[1], begin = tile[2];
    const sixteen *text = fused + start * width;
    const sixteen *q = text + head * HEAD_WIDTH;
    const sixteen *k = text + (heads + head / (heads / kv_heads)) * HEAD_WIDTH;
    const sixteen *v = k + (size)kv_heads * HEAD_WIDTH;

    const int end = min(begin + ROWS, length), blocks = (end + COLUMNS - 1) / COLUMNS;
    fetch(queries, q, begin, ROWS, length, width);
    fetch(keys, k, 0, COLUMNS, length, width);
    fetch(values, v, 0, COLUMNS, length, width);
    asm volatile("cp.async.commit_group;");

    sixteen *mine = queries + warp * 16 * STRIDE;
    word a[PADDED > 128 ? 1 : STEPS][4];
    float sums[PADDED / 8][4] = {};
    float largest[2] = {-1e30f, -1e30f}, total[2] = {0.0f, 0.0f};
    const int row = begin + warp * 16 + lane / 4; // and row + 8

    for (int block = 0; block < blocks; block++) {
        const int ahead = (block + 1) % 2, columns = block * COLUMNS;
        if (block + 1 < blocks) {
            fetch(keys + ahead * COLUMNS * STRIDE, k, columns + COLUMNS, COLUMNS, length, width);
            fetch(values + ahead * COLUMNS * STRIDE, v, columns + COLUMNS, COLUMNS, length, width);
        }
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 1;");
        __syncthreads();
        const sixteen *key = keys + block % 2 * COLUMNS * STRIDE;
        const sixteen *value = values + block % 2 * COLUMNS * STRIDE;

        float scores[COLUMNS / 8][4] = {};
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            word *now = a[PADDED > 128 ? 0 : step];
            if (PADDED > 128 || block == 0)
                load_four(now, mine + lane % 16 * STRIDE + step * 16 + lane / 16 * 8);
#pragma unroll
            for (int pair = 0; pair < COLUMNS / 16; pair++) {
                word b[4];
                load_four(b, key + (pair * 16 + lane / 16 * 8 + lane % 8) * STRIDE + step * 16 +
                                 lane / 8 % 2 * 8);
                multiply_add(scores[2 * pair], now, b[0], b[1]);
                multiply_add(scores[2 * pair + 1], now, b[2], b[3]);
            }
        }
        if (columns + COLUMNS > begin) {
#pragma unroll
            for (int i = 0; i < COLUMNS / 8; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    if (columns + i * 8 + lane % 4 * 2 + j % 2 > row + j / 2 * 8)
                        scores[i][j] = -__int_as_float(0x7f800000);
        }
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float most = largest[half];
#pragma unroll
            for (int i = 0; i < COLUMNS / 8; i++)
                most = fmaxf(most, scale * fmaxf(scores[i][2 * half], scores[i][2 * half + 1]));
            most = over_quad(most, true);
            const float shrink = power_of_two(largest[half] - most);
            largest[half] = most;
            total[half] *= shrink;
#pragma unroll
            for (int i = 0; i < COLUMNS / 8; i++)
#pragma unroll
                for (int j = 2 * half; j < 2 * half + 2; j++) {
                    scores[i][j] = power_of_two(fmaf(scores[i][j], scale, -most));
                    total[half] += scores[i][j];
                }
#pragma unroll
            for (int i = 0; i < PADDED / 8; i++)
                sums[i][2 * half] *= shrink, sums[i][2 * half + 1] *= shrink;
        }
#pragma unroll
        for (int step = 0; step < COLUMNS / 16; step++) {
            const float *left = scores[2 * step], *right = scores[2 * step + 1];
            const word p[4] = {pack(left[0], left[1]), pack(left[2], left[3]),
                               pack(right[0], right[1]), pack(right[2], right[3])};
#pragma unroll
            for (int pair = 0; pair < PADDED / 16; pair++) {
                word b[4];
                load_four_turned(b, value + (step * 16 + lane % 16) * STRIDE + pair * 16 +
                                        lane / 16 * 8);
                multiply_add(sums[2 * pair], p, b[0], b[1]);
                multiply_add(sums[2 * pair + 1], p, b[2], b[3]);
            }
        }
        __syncthreads();
    }

    // By way of this warp's queries, which are no longer needed, so that whole lines are written.
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const float factor = 1.0f / over_quad(total[half], false);
#pragma unroll
        for (int i = 0; i < PADDED / 8; i++)
            *(word *)(mine + (lane / 4 + half * 8) * STRIDE + i * 8 + lane % 4 * 2) =
                pack(sums[i][2 * half] * factor, sums[i][2 * half + 1] * factor);
    }
    __syncwarp();
    for (int i = lane; i < 16 * (HEAD_WIDTH / 8); i += 32) {
        const int at = i / (HEAD_WIDTH / 8), column = i % (HEAD_WIDTH / 8) * 8;
        const int query = begin + warp * 16 + at;
        if (query >= length) break;
        *(uint4 *)(out + ((start + query) * heads + head) * HEAD_WIDTH + column) =
            *(const uint4 *)(mine + at * STRIDE + column);
    }
}
