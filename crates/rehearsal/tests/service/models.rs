//! A real, if tiny, language model behind the service.

use std::ops::ControlFlow;
use std::path::Path;

use guestlist_rehearsal::{
    Ask, ChunkSettings, Device, Index, Native, Service, ServiceSettings, open_embedder,
    open_language_model,
};

use crate::documents;

fn tiny() -> Service {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lm/tests/data/llama.gguf");
    let model = open_language_model(&path, Device::default()).unwrap();
    let index = Index::new(documents(), ChunkSettings::default(), None).unwrap();
    Service::new(
        index,
        Box::new(Native::new(model)),
        ServiceSettings::default(),
    )
    .unwrap()
}

#[test]
fn a_language_model_writes_the_same_answer_whole_and_in_pieces() {
    let service = tiny();
    assert_eq!(service.generator(), "llama");
    let ask = Ask {
        top_k: Some(1),
        max_tokens: Some(4),
        ..Ask::new("Bees?")
    };
    let mut heard = String::new();
    let answer = service.answer_in_pieces(&ask, &mut |piece| {
        heard.push_str(piece);
        ControlFlow::Continue(())
    });
    let answer = answer.unwrap();
    assert_eq!(heard, answer.text);
    assert!(answer.usage.prompt_tokens > 10 && answer.usage.written_tokens <= 4);
    assert_eq!(service.answer(&ask).unwrap(), answer);
}

#[test]
fn models_that_are_not_there_are_named() {
    let nowhere = Path::new("nowhere");
    for error in [
        open_embedder(nowhere).err(),
        open_language_model(nowhere, Device::default()).err(),
    ] {
        let error = error.unwrap().to_string();
        assert!(
            error.starts_with("nowhere: ") && error.contains("hint: "),
            "{error}"
        );
    }
}
