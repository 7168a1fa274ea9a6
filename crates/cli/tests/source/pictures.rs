//! Pictures: noise, a captioner that looks at what it is sent, and then the texts' own way.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, Rgb, RgbImage};
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::recorded::judge_again;
use crate::service::{Odd, said};
use crate::world::{World, confusion, report};

const COUNT: usize = 8;

/// Every picture is a plain colour; its red tells which it is.
fn red(number: usize) -> u8 {
    60 + 6 * number as u8
}

/// Members are the first; every other is a JPEG.
fn draw(bench: &Bench) -> String {
    let mut rows = String::new();
    for number in 0..2 * COUNT {
        let ending = ["png", "jpg"][number % 2];
        let name = format!("picture-{number}.{ending}");
        let pixels = RgbImage::from_pixel(64, 64, Rgb([red(number), 120, 140]));
        DynamicImage::from(pixels).save(bench.path(&name)).unwrap();
        let source = ["retrieved", "non-member"][usize::from(number >= COUNT)];
        let row = json!({"id": format!("p{number}"), "image": name, "source": source});
        rows += &(row.to_string() + "\n");
    }
    rows
}

/// What was seen, so that tests know that noise was on it.
type Seen = Arc<Mutex<Vec<(usize, f64)>>>;

/// Describes a picture by its mean red, in words that depend on which picture it is.
fn captioner(captions: Vec<String>) -> (Odd, Seen) {
    let seen: Seen = Arc::default();
    let memory = seen.clone();
    let odd = Odd::start(move |_, body, _| {
        let (number, deviation) = look(body);
        memory.lock().unwrap().push((number, deviation));
        said(&captions[number])
    });
    (odd, seen)
}

/// Which picture it is, and how far its reds are from their mean.
fn look(body: &Value) -> (usize, f64) {
    let content = &body["messages"][0]["content"];
    assert!(
        content[0]["text"]
            .as_str()
            .unwrap()
            .starts_with("Please describe")
    );
    let url = content[1]["image_url"]["url"].as_str().unwrap();
    let bytes = url.strip_prefix("data:image/png;base64,").unwrap();
    let picture = image::load_from_memory(&STANDARD.decode(bytes).unwrap()).unwrap();
    let reds: Vec<f64> = picture
        .into_rgb8()
        .pixels()
        .map(|pixel| f64::from(pixel.0[0]))
        .collect();
    let mean = reds.iter().sum::<f64>() / reds.len() as f64;
    let variance = reds.iter().map(|red| (red - mean).powi(2)).sum::<f64>() / reds.len() as f64;
    let nearest = (0..2 * COUNT)
        .min_by_key(|&number| ((f64::from(red(number)) - mean).abs() * 1000.0) as u64);
    (nearest.unwrap(), variance.sqrt())
}

#[test]
fn png_and_jpeg_are_described_through_noise_and_attributed() {
    let world = World::new(COUNT, 24);
    // The store holds the captions of the first pictures.
    let captions = [world.retrieved.clone(), world.fresh.clone()].concat();
    let service = world.serve();
    let (captioner, seen) = captioner(captions);
    let bench = Bench::new();
    let rows = draw(&bench);
    bench.write("items.jsonl", &rows);
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"source\"\n[items]\npath = \"items.jsonl\"\n\
             [target]\npreset = \"guestlist\"\nurl = \"http://{}\"\n\
             [transport]\nconcurrency = 8\n[source]\nperturbations = 32\n\
             [images]\nnoise = 20\nsweep = [10, 20, 40]\n\
             [images.endpoint]\npreset = \"openai-vision\"\nurl = \"http://{}\"\n\
             values = {{ model = \"eye\" }}\n",
            service.address, captioner.address
        ),
    );
    let said = bench.guestlist("plan").exits(0).stdout;
    assert!(said.contains("48 of 16 pictures"), "{said}");
    let said = bench.guestlist("run");
    assert!(
        matches!(said.code, Some(1 | 3)),
        "{}{}",
        said.stdout,
        said.stderr
    );
    assert_eq!(captioner.count(), 48);
    noise_was_on_them(&seen);
    let found = report(&bench);
    let table = confusion(&found);
    assert!(table[1][1] + table[2][2] >= 14, "{table:?}");
    let noise = found["detail"]["sweeps"]["noise"].as_array().unwrap();
    let at: Vec<f64> = noise
        .iter()
        .map(|point| point["at"].as_f64().unwrap())
        .collect();
    assert_eq!(at, [10.0, 20.0, 40.0]);
    assert_eq!(found["detail"]["captioner"]["captions"], 48);
    let asked = service.count();
    bench.guestlist("run");
    assert_eq!((captioner.count(), service.count()), (48, asked));
    let transcript = fs::read_to_string(bench.path("guestlist-run/transcript.jsonl")).unwrap();
    assert!(transcript.contains("with noise of 20") && !transcript.contains("base64"));
    judge_again(&bench, "");
    assert_eq!((captioner.count(), service.count()), (48, asked));
}

/// All pictures, thrice, the deviations as asked but for what clamping takes.
fn noise_was_on_them(seen: &Seen) {
    let seen = seen.lock().unwrap();
    let numbers: BTreeSet<usize> = seen.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers.len(), 2 * COUNT);
    for wanted in [10.0, 20.0, 40.0] {
        let near = |(_, deviation): &&(usize, f64)| (deviation - wanted).abs() < 0.12 * wanted;
        assert_eq!(seen.iter().filter(near).count(), 2 * COUNT, "{wanted}");
    }
}

#[test]
fn broken_pictures_are_named_before_anything_is_sent() {
    let odd = Odd::start(|_, _, _| said("a caption"));
    let bench = Bench::new();
    let rows = draw(&bench);
    bench.write("items.jsonl", &rows);
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"source\"\n[items]\npath = \"items.jsonl\"\n\
             [target]\npreset = \"guestlist\"\nurl = \"http://{address}\"\n\
             [images.endpoint]\npreset = \"openai-vision\"\nurl = \"http://{address}\"\n\
             values = {{ model = \"eye\" }}\n",
            address = odd.address
        ),
    );
    let whole = fs::read(bench.path("picture-3.jpg")).unwrap();
    fs::write(bench.path("picture-3.jpg"), &whole[..40]).unwrap();
    bench.guestlist("run").complains(&["picture-3.jpg"]);
    fs::write(bench.path("picture-3.jpg"), b"not a picture").unwrap();
    bench
        .guestlist("run")
        .complains(&["picture-3.jpg", "neither PNG nor JPEG"]);
    fs::remove_file(bench.path("picture-3.jpg")).unwrap();
    bench.guestlist("run").complains(&["picture-3.jpg"]);
    assert_eq!(odd.count(), 0);
}
