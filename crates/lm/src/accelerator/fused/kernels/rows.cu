// What is done to each row by itself. The state that layers add to is in f32.

// state = table[tokens] (+ places[positions])
extern "C" __global__ void embed(float *state, const sixteen *table, const sixteen *places,
                                 const word *tokens, const word *positions, int width) {
    const size row = blockIdx.x;
    const sixteen *from = table + (size)tokens[row] * width;
    const sixteen *place = places ? places + (size)positions[row] * width : 0;
    for (int i = 8 * threadIdx.x; i < width; i += 8 * blockDim.x) {
        float values[8];
        unpack(*(const uint4 *)(from + i), values);
        if (place) {
            float more[8];
            unpack(*(const uint4 *)(place + i), more);
            for (int j = 0; j < 8; j++) values[j] += more[j];
        }
        store(state + row * width + i, values);
    }
}

static __device__ __forceinline__ float over_lanes(float value) {
    for (int apart = 16; apart > 0; apart >>= 1) value += __shfl_xor_sync(ALL_LANES, value, apart);
    return value;
}

// out = the norm of the state's rows, all or those that `chosen` names. A warp has a row.
// `late` is a bias that earlier products left out: it is added to the state first.
extern "C" __global__ void normalise(sixteen *out, float *state, const float *late, const word *chosen,
                                const float *weight, const float *bias, int rows, int width,
                                float epsilon, int centred) {
    const int index = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (index >= rows) return;
    const int begin = 8 * (threadIdx.x % 32);
    float *row = state + (size)(chosen ? chosen[index] : index) * width;
    float values[8], more[8], sum = 0.0f;
    if (late || centred) {
        for (int i = begin; i < width; i += 256) {
            load(row + i, values);
            if (late) {
                load(late + i, more);
                for (int j = 0; j < 8; j++) values[j] += more[j];
                store(row + i, values);
            }
            for (int j = 0; j < 8; j++) sum += values[j];
        }
    }
    const float mean = centred ? over_lanes(sum) / width : 0.0f;
    float squares = 0.0f;
    for (int i = begin; i < width; i += 256) {
        load(row + i, values);
        for (int j = 0; j < 8; j++) squares += (values[j] - mean) * (values[j] - mean);
    }
    const float factor = rsqrtf(over_lanes(squares) / width + epsilon);
    for (int i = begin; i < width; i += 256) {
        load(row + i, values);
        load(weight + i, more);
        for (int j = 0; j < 8; j++) values[j] = (values[j] - mean) * factor * more[j];
        if (bias) {
            load(bias + i, more);
            for (int j = 0; j < 8; j++) values[j] += more[j];
        }
        *(uint4 *)(out + (size)index * width + i) = packed(values);
    }
}

// Adds the bias to queries, keys and values and turns the first 2 · pairs dimensions of each head
// of the first `turning` heads, queries and keys, in place: dimension i together with i + pairs.
extern "C" __global__ void turn(sixteen *fused, const sixteen *bias, const float *cosines,
                                const float *sines, const word *positions, int turning, int pairs,
                                int width) {
    word *row = (word *)(fused + (size)blockIdx.x * width);
    const word *biases = (const word *)bias;
    const float *cosine = cosines + (size)positions[blockIdx.x] * pairs;
    const float *sine = sines + (size)positions[blockIdx.x] * pairs;
    const int words = pairs / 2;
    for (int i = threadIdx.x; i < turning * words; i += blockDim.x) {
        const int at = i % words, near = i / words * (HEAD_WIDTH / 2) + at, far = near + words;
        float a = first(row[near]), b = second(row[near]), c = first(row[far]), d = second(row[far]);
        if (bias) {
            a += first(biases[near]), b += second(biases[near]);
            c += first(biases[far]), d += second(biases[far]);
        }
        const float cos_a = cosine[2 * at], cos_b = cosine[2 * at + 1];
        const float sin_a = sine[2 * at], sin_b = sine[2 * at + 1];
        row[near] = pack(a * cos_a - c * sin_a, b * cos_b - d * sin_b);
        row[far] = pack(a * sin_a + c * cos_a, b * sin_b + d * cos_b);
    }
    if (!bias) return;
    for (int i = threadIdx.x; i < width / 2; i += blockDim.x) {
        const bool turned = i / (HEAD_WIDTH / 2) < turning && i % (HEAD_WIDTH / 2) < pairs;
        if (turned) continue;
        row[i] = pack(first(row[i]) + first(biases[i]), second(row[i]) + second(biases[i]));
    }
}

static __device__ __forceinline__ float bent(float x, int activation) {
    switch (activation) {
    case 0: return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
    case 1: return 0.5f * x * (1.0f + tanhf(0.79788456080286536f * (x + 0.044715f * x * x * x)));
    case 2: return x > 0.0f ? x : x * 0.0f; // keeps what is no number
    default: return x / (1.0f + __expf(-x));
    }
}

// up = bent(up + bias) (· (gated + its bias)), in place.
extern "C" __global__ void gate(sixteen *up, const sixteen *bias, const sixteen *gated,
                                const sixteen *gated_bias, size count, int width, int activation) {
    const size i = 8 * ((size)blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    float values[8], more[8];
    unpack(*(const uint4 *)(up + i), values);
    if (bias) {
        unpack(*(const uint4 *)(bias + i % width), more);
        for (int j = 0; j < 8; j++) values[j] += more[j];
    }
    for (int j = 0; j < 8; j++) values[j] = bent(values[j], activation);
    if (gated) {
        float factors[8];
        unpack(*(const uint4 *)(gated + i), factors);
        if (gated_bias) {
            unpack(*(const uint4 *)(gated_bias + i % width), more);
            for (int j = 0; j < 8; j++) factors[j] += more[j];
        }
        for (int j = 0; j < 8; j++) values[j] *= factors[j];
    }
    *(uint4 *)(up + i) = packed(values);
}
