// What is said about a token, in one pass over its row of logits: sums of weights exp(x - largest)
// and of their first and second moments in x - largest, shifted whenever a larger logit is met.

struct Sums {
    float largest, weights, first, second;
};

// Sums as they are with a larger `largest`.
static __device__ __forceinline__ Sums shifted(Sums sums, float largest) {
    if (sums.weights == 0.0f) return {largest, 0.0f, 0.0f, 0.0f};
    const float by = sums.largest - largest, shrink = __expf(by);
    return {largest, shrink * sums.weights, shrink * (sums.first + by * sums.weights),
            shrink * (sums.second + by * (2.0f * sums.first + by * sums.weights))};
}

static __device__ __forceinline__ Sums joined(Sums one, Sums other) {
    const float largest = fmaxf(one.largest, other.largest);
    one = shifted(one, largest), other = shifted(other, largest);
    return {largest, one.weights + other.weights, one.first + other.first,
            one.second + other.second};
}

static __device__ __forceinline__ float largest(float4 x) {
    return fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w));
}

static __device__ __forceinline__ void add(Sums &sums, float logit) {
    const float below = logit - sums.largest, weight = __expf(below), moment = weight * below;
    sums.weights += weight;
    sums.first += moment;
    sums.second += moment * below;
}

static __device__ __forceinline__ void add(Sums &sums, float4 x) {
    add(sums, x.x), add(sums, x.y), add(sums, x.z), add(sums, x.w);
}

static __device__ __forceinline__ word larger(float4 x, float truth) {
    return (x.x > truth) + (x.y > truth) + (x.z > truth) + (x.w > truth);
}

static __device__ __forceinline__ Sums from_lane(Sums sums, int apart) {
    return {__shfl_xor_sync(ALL_LANES, sums.largest, apart),
            __shfl_xor_sync(ALL_LANES, sums.weights, apart),
            __shfl_xor_sync(ALL_LANES, sums.first, apart),
            __shfl_xor_sync(ALL_LANES, sums.second, apart)};
}

// A block has a row: `described` gets log-probability, mean, variance and the largest
// log-probability, `above` the number of larger logits. Rows begin every `stride` logits, a
// multiple of four.
extern "C" __global__ void describe(float *described, word *above, const float *logits,
                                    const word *targets, int vocabulary, int stride) {
    const size row = blockIdx.x;
    const float *line = logits + row * stride;
    const float truth = line[targets[row]];
    const float4 *fours = (const float4 *)line;
    Sums sums = {-__int_as_float(0x7f800000), 0.0f, 0.0f, 0.0f};
    word count = 0;
    const int fours_of_row = vocabulary / 4, apart = blockDim.x;
    int at = threadIdx.x;
    // Four loads under way at once.
    for (; at + 3 * apart < fours_of_row; at += 4 * apart) {
        const float4 a = fours[at], b = fours[at + apart];
        const float4 c = fours[at + 2 * apart], d = fours[at + 3 * apart];
        const float most = fmaxf(fmaxf(largest(a), largest(b)), fmaxf(largest(c), largest(d)));
        if (most > sums.largest) sums = shifted(sums, most);
        add(sums, a), add(sums, b), add(sums, c), add(sums, d);
        count += larger(a, truth) + larger(b, truth) + larger(c, truth) + larger(d, truth);
    }
    for (; at < fours_of_row; at += apart) {
        const float4 x = fours[at];
        if (largest(x) > sums.largest) sums = shifted(sums, largest(x));
        add(sums, x);
        count += larger(x, truth);
    }
    for (int i = vocabulary / 4 * 4 + threadIdx.x; i < vocabulary; i += blockDim.x) {
        const float x = line[i];
        if (x > sums.largest) sums = shifted(sums, x);
        add(sums, x);
        count += x > truth;
    }
    for (int apart = 16; apart > 0; apart >>= 1) {
        sums = joined(sums, from_lane(sums, apart));
        count += __shfl_xor_sync(ALL_LANES, count, apart);
    }
    __shared__ Sums sums_of_warps[32];
    __shared__ word count_of_warps[32];
    if (threadIdx.x % 32 == 0) {
        sums_of_warps[threadIdx.x / 32] = sums;
        count_of_warps[threadIdx.x / 32] = count;
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int warp = 1; warp < blockDim.x / 32; warp++) {
        sums = joined(sums, sums_of_warps[warp]);
        count += count_of_warps[warp];
    }
    const float total = logf(sums.weights), centre = sums.first / sums.weights;
    described[4 * row] = truth - sums.largest - total;
    described[4 * row + 1] = centre - total;
    described[4 * row + 2] = fmaxf(sums.second / sums.weights - centre * centre, 0.0f);
    described[4 * row + 3] = -total;
    above[row] = count;
}
