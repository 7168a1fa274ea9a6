//! Small Llamas with random weights, and how far two models are apart.

use std::collections::BTreeMap;

use guestlist_lm::Scores;
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::json;
use tempfile::TempDir;

const VOCABULARY: usize = 320;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const HIDDEN: usize = 96;
const WIDTH: usize = 64;
const LAYERS: usize = 2;

/// A folder with a model whose heads are so wide.
pub fn llama(head_width: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let config = json!({
        "model_type": "llama", "hidden_act": "silu", "hidden_size": WIDTH, "head_dim": head_width,
        "intermediate_size": HIDDEN, "max_position_embeddings": 2048, "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS, "num_key_value_heads": KV_HEADS, "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0, "tie_word_embeddings": true, "vocab_size": VOCABULARY,
        "attention_bias": false, "mlp_bias": false,
    });
    std::fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
    let (queries, keys) = (HEADS * head_width, KV_HEADS * head_width);
    let mut shapes = vec![
        (
            "model.embed_tokens.weight".to_owned(),
            vec![VOCABULARY, WIDTH],
        ),
        ("model.norm.weight".to_owned(), vec![WIDTH]),
    ];
    for layer in 0..LAYERS {
        let maps = [
            ("self_attn.q_proj", vec![queries, WIDTH]),
            ("self_attn.k_proj", vec![keys, WIDTH]),
            ("self_attn.v_proj", vec![keys, WIDTH]),
            ("self_attn.o_proj", vec![WIDTH, queries]),
            ("mlp.gate_proj", vec![HIDDEN, WIDTH]),
            ("mlp.up_proj", vec![HIDDEN, WIDTH]),
            ("mlp.down_proj", vec![WIDTH, HIDDEN]),
            ("input_layernorm", vec![WIDTH]),
            ("post_attention_layernorm", vec![WIDTH]),
        ];
        let named = maps.map(|(map, shape)| (format!("model.layers.{layer}.{map}.weight"), shape));
        shapes.extend(named);
    }
    write(&folder, shapes);
    folder
}

fn write(folder: &TempDir, shapes: Vec<(String, Vec<usize>)>) {
    let mut state = 1u64;
    let tensors: BTreeMap<String, (Vec<usize>, Vec<u8>)> = shapes
        .into_iter()
        .map(|(name, shape)| {
            let values = values(&shape, &mut state);
            (name, (shape, values))
        })
        .collect();
    let views = tensors.iter().map(|(name, (shape, bytes))| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap();
        (name.clone(), view)
    });
    let path = folder.path().join("model.safetensors");
    safetensors::serialize_to_file(views, None, &path).unwrap();
}

/// Spread so that neither activations nor logits vanish.
fn values(shape: &[usize], state: &mut u64) -> Vec<u8> {
    let spread = match shape {
        [_] => 0.0,
        [_, inner] => 3.0 / (*inner as f32).sqrt(),
        _ => unreachable!(),
    };
    let count = shape.iter().product();
    let drawn = std::iter::repeat_with(|| {
        *state = (*state * 1_103_515_245 + 12_345) % (1 << 31);
        (*state >> 8) as f32 / (1 << 23) as f32 * 2.0 - 1.0
    });
    let centre = if shape.len() == 1 { 1.0 } else { 0.0 };
    drawn
        .take(count)
        .flat_map(|drawn| (centre + spread * drawn).to_le_bytes())
        .collect()
}

/// Of log-probabilities, means, variances and first choices.
pub fn mean_differences(ours: &[Scores], theirs: &[Scores]) -> [f64; 4] {
    let values: [fn(&Scores) -> &[f32]; 4] = [
        |scores| &scores.logprob,
        |scores| &scores.mean,
        |scores| &scores.variance,
        |scores| &scores.max_logprob,
    ];
    values.map(|values| {
        let flat = |all: &[Scores]| {
            all.iter()
                .flat_map(|scores| values(scores).to_vec())
                .collect()
        };
        let (ours, theirs): (Vec<f32>, Vec<f32>) = (flat(ours), flat(theirs));
        assert_eq!(ours.len(), theirs.len());
        let far = ours.iter().zip(&theirs);
        let far = far.map(|(ours, theirs)| f64::from((ours - theirs).abs()));
        far.sum::<f64>() / ours.len() as f64
    })
}
