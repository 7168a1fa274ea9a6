//! Pixels of PNG and JPEG files, eight bits a colour, and PNG files of pixels.

use std::io::Cursor;

use png::{BitDepth, ColorType, DecodingError, Filter, Transformations};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Why there are no pixels.
pub(super) enum Trouble {
    NoPicture,
    Large { width: usize, height: usize },
    Memory,
    Broken(String),
}

/// Red, green and blue, and how opaque they are where that is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pixels {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) opacity: bool,
    pub(super) bytes: Vec<u8>,
}

impl Pixels {
    /// Decodes a file, unless it has more pixels.
    pub(super) fn read(file: &[u8], most: usize) -> Result<Self, Trouble> {
        if file.starts_with(b"\x89PNG\r\n\x1a\n") {
            return png(file, most);
        }
        match file.starts_with(b"\xff\xd8\xff") {
            true => jpeg(file, most),
            false => Err(Trouble::NoPicture),
        }
    }

    /// Pixel by pixel: three colours, and how opaque it is.
    fn channels(&self) -> usize {
        3 + usize::from(self.opacity)
    }

    pub(super) fn colours_mut(&mut self) -> impl Iterator<Item = &mut u8> {
        let channels = self.channels();
        let pixels = self.bytes.chunks_exact_mut(channels);
        pixels.flat_map(|pixel| &mut pixel[..3])
    }

    /// As a PNG file. Its bytes are part of a request, by which answers are found again: they must
    /// not change.
    pub(super) fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(match self.opacity {
            true => ColorType::Rgba,
            false => ColorType::Rgb,
        });
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        encoder.set_filter(Filter::Adaptive);
        encoder.write_header()?.write_image_data(&self.bytes)?;
        Ok(file)
    }

    /// From one or two channels, or from as many as there are here.
    fn new(size: (usize, usize), channels: usize, bytes: Vec<u8>) -> Self {
        let grey = |pixel: &[u8]| {
            let mut full = vec![pixel[0]; 3];
            full.extend(&pixel[1..]);
            full
        };
        Self {
            width: size.0,
            height: size.1,
            opacity: channels.is_multiple_of(2),
            bytes: match channels {
                1 | 2 => bytes.chunks_exact(channels).flat_map(grey).collect(),
                _ => bytes,
            },
        }
    }
}

fn check(size: (usize, usize), most: usize) -> Result<(), Trouble> {
    let (width, height) = size;
    match width.saturating_mul(height) > most {
        true => Err(Trouble::Large { width, height }),
        false => Ok(()),
    }
}

fn png(file: &[u8], most: usize) -> Result<Pixels, Trouble> {
    let limits = png::Limits { bytes: 16 * most };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), limits);
    // Palettes become colours, few bits become eight.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(broken_png)?;
    let size = (reader.info().width as usize, reader.info().height as usize);
    check(size, most)?;
    let length = reader.output_buffer_size().ok_or(Trouble::Memory)?;
    let mut bytes = vec![0; length];
    reader.next_frame(&mut bytes).map_err(broken_png)?;
    let (colours, depth) = reader.output_color_type();
    if depth == BitDepth::Sixteen {
        bytes = bytes.chunks_exact(2).map(eight_bits).collect();
    }
    Ok(Pixels::new(size, colours.samples(), bytes))
}

/// Rounded to the nearest.
fn eight_bits(pair: &[u8]) -> u8 {
    let value = u32::from(u16::from_be_bytes([pair[0], pair[1]]));
    ((value + 128) / 257) as u8
}

fn broken_png(error: DecodingError) -> Trouble {
    match error {
        DecodingError::LimitsExceeded => Trouble::Memory,
        other => Trouble::Broken(other.to_string()),
    }
}

fn jpeg(file: &[u8], most: usize) -> Result<Pixels, Trouble> {
    let broken = |error: zune_jpeg::errors::DecodeErrors| Trouble::Broken(error.to_string());
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(usize::MAX)
        .set_max_height(usize::MAX);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    decoder.decode_headers().map_err(broken)?;
    let size = decoder.dimensions();
    let size = size.ok_or_else(|| Trouble::Broken("it has no size".into()))?;
    check(size, most)?;
    let (space, channels) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (ColorSpace::Luma, 1),
        _ => (ColorSpace::RGB, 3),
    };
    decoder.set_options(options.jpeg_set_out_colorspace(space));
    let bytes = decoder.decode().map_err(broken)?;
    match bytes.len() == size.0 * size.1 * channels {
        true => Ok(Pixels::new(size, channels, bytes)),
        false => Err(Trouble::Broken("it has other pixels than it says".into())),
    }
}

/// Beside the crate `image`, which does far more.
#[cfg(test)]
mod tests {
    use image::{DynamicImage, ImageFormat};

    use super::*;

    const MOST: usize = 1 << 20;

    fn file(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        image.write_to(&mut file, format).unwrap();
        file.into_inner()
    }

    /// A picture with every value of sixteen bits in it.
    fn rich() -> DynamicImage {
        let pixel = |x: u32, y: u32| {
            let value = (256 * y + x) as u16;
            image::Rgba([value, value.rotate_left(5), !value, value.rotate_left(9)])
        };
        image::ImageBuffer::from_fn(256, 256, pixel).into()
    }

    fn same(file: &[u8]) {
        let ours = Pixels::read(file, MOST).ok().unwrap();
        let theirs = image::load_from_memory(file).unwrap();
        let opacity = theirs.color().has_alpha();
        let theirs = match opacity {
            true => DynamicImage::from(theirs.into_rgba8()),
            false => DynamicImage::from(theirs.into_rgb8()),
        };
        assert_eq!(ours.opacity, opacity);
        assert!(ours.bytes == theirs.as_bytes());
        assert!(ours.png().unwrap() == self::file(&theirs, ImageFormat::Png));
    }

    #[test]
    fn every_kind_of_file_has_the_pixels_and_the_bytes_that_it_always_had() {
        let rich = rich();
        let kinds: [DynamicImage; 8] = [
            rich.to_luma8().into(),
            rich.to_luma_alpha8().into(),
            rich.to_rgb8().into(),
            rich.to_rgba8().into(),
            rich.to_luma16().into(),
            rich.to_luma_alpha16().into(),
            rich.to_rgb16().into(),
            rich.clone(),
        ];
        for image in &kinds {
            same(&file(image, ImageFormat::Png));
        }
        same(&file(&kinds[0], ImageFormat::Jpeg));
        same(&file(&kinds[2], ImageFormat::Jpeg));
    }

    #[test]
    fn palettes_and_few_bits_are_colours_too() {
        let bytes: Vec<u8> = (0..64).map(|byte: u8| byte.wrapping_mul(37)).collect();
        for (depth, width) in [
            (BitDepth::One, 64),
            (BitDepth::Two, 32),
            (BitDepth::Four, 16),
        ] {
            for colours in [ColorType::Grayscale, ColorType::Indexed] {
                let mut file = Vec::new();
                let mut encoder = png::Encoder::new(&mut file, width, 8);
                encoder.set_color(colours);
                encoder.set_depth(depth);
                if colours == ColorType::Indexed {
                    encoder.set_palette((0..48).map(|byte| byte * 5).collect::<Vec<u8>>());
                    encoder.set_trns(vec![9, 200]);
                }
                let mut writer = encoder.write_header().unwrap();
                writer.write_image_data(&bytes).unwrap();
                writer.finish().unwrap();
                same(&file);
            }
        }
    }
}
