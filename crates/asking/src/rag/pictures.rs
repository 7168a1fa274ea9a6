//! Pictures as questions: read, checked, covered with noise, and written as addresses that hold the
//! whole picture.
//!
//! A captioner that knows a picture by heart describes it through noise that hides it from others,
//! so noise plays the part for pictures that masks play for words.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use stats::streams::{Rng, standard_normal};

use super::pixels::{Pixels, Trouble};
use crate::{Error, ErrorKind, Result};

/// Noise cannot be compressed: a picture with it takes about three bytes per pixel to send.
const MOST_PIXELS: usize = 2048 * 2048;
const MOST_BYTES: u64 = 16 << 20;

/// A PNG or JPEG file, decoded.
pub struct Picture {
    path: PathBuf,
    pixels: Pixels,
}

impl Picture {
    /// Reads a picture; refuses what is too large to send, and what is no picture.
    pub fn read(path: &Path) -> Result<Self> {
        let pixels = Pixels::read(&bytes(path)?, MOST_PIXELS);
        Ok(Self {
            path: path.to_owned(),
            pixels: pixels.map_err(|trouble| refused(&trouble).at(path))?,
        })
    }

    /// The picture with Gaussian noise on each colour, as a PNG in a data URL. What is transparent
    /// stays so.
    pub fn with_noise(&self, sigma: f64, rng: &mut impl Rng) -> Result<String> {
        let mut noisy = self.pixels.clone();
        for colour in noisy.colours_mut() {
            let value = f64::from(*colour) + sigma * standard_normal(rng);
            *colour = value.round().clamp(0.0, 255.0) as u8;
        }
        let png = noisy
            .png()
            .map_err(|error| refused(&Trouble::Broken(error.to_string())).at(&self.path))?;
        Ok(format!("data:image/png;base64,{}", STANDARD.encode(png)))
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    let size = std::fs::metadata(path).map_err(|error| Error::reading(path, &error))?;
    if size.len() > MOST_BYTES {
        let message = format!("has {} bytes, more than {MOST_BYTES}", size.len());
        return Err(Error::new(ErrorKind::Unsupported, message)
            .at(path)
            .hint("save it smaller"));
    }
    std::fs::read(path).map_err(|error| Error::reading(path, &error))
}

fn refused(trouble: &Trouble) -> Error {
    const BROKEN: &str = "open it in a viewer, save it again, or leave the item out";
    match trouble {
        Trouble::NoPicture => {
            Error::unsupported("is neither PNG nor JPEG").hint("convert the picture to one of them")
        }
        Trouble::Large { width, height } => Error::unsupported(format!(
            "has {width} × {height} pixels, more than {MOST_PIXELS}"
        ))
        .hint("scale it down, such as to 1024 × 1024: captioners do so anyway"),
        Trouble::Memory => Error::malformed("needs too much memory to be decoded").hint(BROKEN),
        Trouble::Broken(why) => {
            Error::malformed(format!("is a broken picture: {why}")).hint(BROKEN)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
    use stats::streams::Seed;

    use super::*;

    fn decoded(url: &str) -> DynamicImage {
        let bytes = url.strip_prefix("data:image/png;base64,").unwrap();
        image::load_from_memory(&STANDARD.decode(bytes).unwrap()).unwrap()
    }

    fn saved(image: &DynamicImage, name: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        image.save(&path).unwrap();
        (folder, path)
    }

    #[test]
    fn noise_has_the_deviation_that_was_asked_for_and_leaves_alpha_alone() {
        let plain = RgbaImage::from_pixel(64, 64, Rgba([128, 128, 128, 7]));
        let (_folder, path) = saved(&plain.into(), "a.png");
        let picture = Picture::read(&path).unwrap();
        let noisy = |name| {
            let url = picture.with_noise(20.0, &mut Seed(1).stream(name));
            decoded(&url.unwrap()).into_rgba8()
        };
        let first = noisy("a");
        assert!(first.pixels().all(|pixel| pixel.0[3] == 7));
        let off = |pixel: &Rgba<u8>| {
            let squares = pixel.0[..3].iter().map(|c| (f64::from(*c) - 128.0).powi(2));
            squares.sum::<f64>()
        };
        let variance = first.pixels().map(off).sum::<f64>() / (3.0 * 64.0 * 64.0);
        // 12,288 draws: the standard error of the deviation is 0.13.
        assert!((variance.sqrt() - 20.0).abs() < 0.7, "{}", variance.sqrt());
        assert_eq!(first, noisy("a"));
        assert_ne!(first, noisy("b"));
    }

    #[test]
    fn without_noise_a_png_stays_as_it_is_and_a_jpeg_can_be_read() {
        let gradient =
            image::RgbImage::from_fn(20, 10, |x, y| image::Rgb([x as u8 * 12, y as u8 * 25, 40]));
        let (_folder, path) = saved(&gradient.clone().into(), "a.png");
        let rng = &mut Seed(0).stream("n");
        let url = Picture::read(&path).unwrap().with_noise(0.0, rng).unwrap();
        assert_eq!(decoded(&url).into_rgb8(), gradient);
        let (_folder, path) = saved(&gradient.into(), "a.jpg");
        assert!(Picture::read(&path).is_ok());
    }

    #[test]
    fn what_cannot_be_sent_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.png");
        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Picture::read(&path).err().unwrap().to_string()
        };
        assert!(error(b"GIF89a").contains("x.png: is neither PNG nor JPEG"));
        let mut png = Vec::new();
        let small = image::RgbImage::new(40, 40);
        small
            .write_to(&mut Cursor::new(&mut png), ImageFormat::Png)
            .unwrap();
        assert!(error(&png[..png.len() / 2]).contains("broken"));
        let mut wide = Vec::new();
        image::GrayImage::new(4096, 1025)
            .write_to(&mut Cursor::new(&mut wide), ImageFormat::Png)
            .unwrap();
        assert!(error(&wide).contains("4096 × 1025"));
        assert!(error(&vec![0; MOST_BYTES as usize + 1]).contains("bytes"));
        let missing = Picture::read(&folder.path().join("no.png")).err().unwrap();
        assert!(missing.to_string().contains("no.png"));
    }
}
