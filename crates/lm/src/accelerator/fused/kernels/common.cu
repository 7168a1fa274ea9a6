// Compiled while a model is opened, for its precision (SIXTEEN_IS_F16 or not) and the width of its
// heads (HEAD_WIDTH), after which nothing is included: the compiler at run time has no headers.

typedef unsigned short sixteen; // the bits of bf16 or f16
typedef unsigned int word;      // two of them
typedef unsigned long long size;

#define ALL_LANES 0xffffffffu

static __device__ __forceinline__ float widen(sixteen bits) {
#ifdef SIXTEEN_IS_F16
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#else
    return __uint_as_float((word)bits << 16);
#endif
}

static __device__ __forceinline__ float first(word pair) { return widen((sixteen)(pair & 0xffffu)); }
static __device__ __forceinline__ float second(word pair) { return widen((sixteen)(pair >> 16)); }

// The instruction takes what goes into the upper half first.
static __device__ __forceinline__ word pack(float first, float second) {
    word pair;
#ifdef SIXTEEN_IS_F16
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
#else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
#endif
    return pair;
}

static __device__ __forceinline__ void unpack(uint4 packed, float values[8]) {
    values[0] = first(packed.x), values[1] = second(packed.x);
    values[2] = first(packed.y), values[3] = second(packed.y);
    values[4] = first(packed.z), values[5] = second(packed.z);
    values[6] = first(packed.w), values[7] = second(packed.w);
}

static __device__ __forceinline__ uint4 packed(const float values[8]) {
    return make_uint4(pack(values[0], values[1]), pack(values[2], values[3]),
                      pack(values[4], values[5]), pack(values[6], values[7]));
}

static __device__ __forceinline__ void load(const float *from, float values[8]) {
    const float4 low = ((const float4 *)from)[0], high = ((const float4 *)from)[1];
    values[0] = low.x, values[1] = low.y, values[2] = low.z, values[3] = low.w;
    values[4] = high.x, values[5] = high.y, values[6] = high.z, values[7] = high.w;
}

static __device__ __forceinline__ void store(float *to, const float values[8]) {
    ((float4 *)to)[0] = make_float4(values[0], values[1], values[2], values[3]);
    ((float4 *)to)[1] = make_float4(values[4], values[5], values[6], values[7]);
}

// 2 to the power of x, to two units in the last place of f32; 0 at minus infinity.
static __device__ __forceinline__ float power_of_two(float x) {
    float value;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(x));
    return value;
}
