//! Arrow's columns in the one type that they are read as, whatever they are stored as.
//!
//! Arrow has a crate that turns any type into any other. It takes a minute and a half of processor time to
//! build, and these few ways are all that a reader here goes.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{as_datetime, as_time};
use arrow_array::timezone::Tz;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, LargeListArray, LargeStringArray, StringArray,
    new_null_array,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, FieldRef, TimeUnit};
use arrow_select::take::take;

use crate::{Error, Result};

/// What happens to a value that has no counterpart, such as the text "x" where numbers are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfits {
    BecomeNull,
    AreRefused,
}

/// The column as numbers (`Float64`, `Int64`), texts (`Utf8`, `LargeUtf8`) or large lists of these.
pub(crate) fn convert(column: &ArrayRef, to: &DataType, misfits: Misfits) -> Result<ArrayRef> {
    let from = column.data_type();
    if from == to {
        return Ok(column.clone());
    }
    if let DataType::Dictionary(..) = from {
        let dictionary = column.as_any_dictionary();
        let values = convert(dictionary.values(), to, misfits)?;
        let failed = |error| Error::malformed(format!("cannot be read: {error}"));
        return take(values.as_ref(), dictionary.keys(), None).map_err(failed);
    }
    if *from == DataType::Null {
        return Ok(new_null_array(to, column.len()));
    }
    let converted: Option<ArrayRef> = match to {
        DataType::Float64 => numbers(column).map(|found| Arc::new(found) as ArrayRef),
        DataType::Int64 => integers(column).map(|found| Arc::new(found) as ArrayRef),
        DataType::Utf8 => texts(column).map(|found| Arc::new(StringArray::from_iter(found)) as _),
        DataType::LargeUtf8 => {
            texts(column).map(|found| Arc::new(LargeStringArray::from_iter(found)) as _)
        }
        DataType::LargeList(item) => return lists(column, item, misfits),
        _ => None,
    };
    let converted = converted.ok_or_else(|| refused(from, to))?;
    let lost = converted.null_count() > column.logical_null_count();
    match misfits == Misfits::AreRefused && lost {
        true => Err(refused(from, to)),
        false => Ok(converted),
    }
}

fn refused(from: &DataType, to: &DataType) -> Error {
    Error::unsupported(format!("{from} values cannot be read as {to}"))
}

/// One branch per primitive type, each with its own arithmetic.
macro_rules! of_numbers {
    ($column:expr, $convert:expr, $($kind:ident => $type:ident),*) => {
        match $column.data_type() {
            $(DataType::$kind => Some($column.as_primitive::<$type>().unary_opt($convert)),)*
            _ => None,
        }
    };
}

fn numbers(column: &ArrayRef) -> Option<Float64Array> {
    let plain = of_numbers!(column, num_traits::cast,
        Int8 => Int8Type, Int16 => Int16Type, Int32 => Int32Type, Int64 => Int64Type,
        UInt8 => UInt8Type, UInt16 => UInt16Type, UInt32 => UInt32Type, UInt64 => UInt64Type,
        Float16 => Float16Type, Float32 => Float32Type);
    plain.or_else(|| match column.data_type() {
        DataType::Boolean => Some(flags(column).map(|flag| flag.map(f64::from)).collect()),
        kind if is_decimal(kind) => Some(parsed(texts(column)?)),
        kind if is_text(kind) => Some(parsed(texts(column)?)),
        _ => None,
    })
}

/// A fraction is cut off, as Arrow does.
fn integers(column: &ArrayRef) -> Option<Int64Array> {
    let plain = of_numbers!(column, num_traits::cast,
        Int8 => Int8Type, Int16 => Int16Type, Int32 => Int32Type,
        UInt8 => UInt8Type, UInt16 => UInt16Type, UInt32 => UInt32Type, UInt64 => UInt64Type,
        Float16 => Float16Type, Float32 => Float32Type, Float64 => Float64Type);
    plain.or_else(|| match column.data_type() {
        DataType::Boolean => Some(flags(column).map(|flag| flag.map(i64::from)).collect()),
        kind if is_text(kind) => Some(parsed(texts(column)?)),
        _ => None,
    })
}

fn flags(column: &ArrayRef) -> impl Iterator<Item = Option<bool>> {
    column.as_boolean().iter()
}

fn parsed<T: std::str::FromStr, C: FromIterator<Option<T>>>(texts: Texts<'_>) -> C {
    texts.map(|text| text?.parse().ok()).collect()
}

fn is_text(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    )
}

fn is_decimal(kind: &DataType) -> bool {
    kind.is_numeric() && !kind.is_integer() && !kind.is_floating()
}

type Texts<'a> = Box<dyn Iterator<Item = Option<String>> + 'a>;

/// Every value as a person would write it: dates and times as ISO 8601 has them.
fn texts(column: &ArrayRef) -> Option<Texts<'_>> {
    use DataType::*;
    let own = |text: Option<&str>| text.map(str::to_owned);
    Some(match column.data_type() {
        Utf8 => Box::new(column.as_string::<i32>().iter().map(own)),
        LargeUtf8 => Box::new(column.as_string::<i64>().iter().map(own)),
        Utf8View => Box::new(column.as_string_view().iter().map(own)),
        Boolean => Box::new(flags(column).map(|flag| flag.map(|flag| flag.to_string()))),
        Int8 => each::<Int8Type>(column, |value| Some(value.to_string())),
        Int16 => each::<Int16Type>(column, |value| Some(value.to_string())),
        Int32 => each::<Int32Type>(column, |value| Some(value.to_string())),
        Int64 => each::<Int64Type>(column, |value| Some(value.to_string())),
        UInt8 => each::<UInt8Type>(column, |value| Some(value.to_string())),
        UInt16 => each::<UInt16Type>(column, |value| Some(value.to_string())),
        UInt32 => each::<UInt32Type>(column, |value| Some(value.to_string())),
        UInt64 => each::<UInt64Type>(column, |value| Some(value.to_string())),
        Float32 => each::<Float32Type>(column, |value| Some(format!("{value:?}"))),
        Float64 => each::<Float64Type>(column, |value| Some(format!("{value:?}"))),
        Decimal32(..) => decimals::<Decimal32Type>(column),
        Decimal64(..) => decimals::<Decimal64Type>(column),
        Decimal128(..) => decimals::<Decimal128Type>(column),
        Decimal256(..) => decimals::<Decimal256Type>(column),
        Date32 => each::<Date32Type>(column, |days| {
            as_datetime::<Date32Type>(days.into()).map(|found| found.date().to_string())
        }),
        Date64 => each::<Date64Type>(column, moment::<Date64Type>),
        Time32(TimeUnit::Second) => each::<Time32SecondType>(column, |value| {
            as_time::<Time32SecondType>(value.into()).map(|time| time.to_string())
        }),
        Time32(_) => each::<Time32MillisecondType>(column, |value| {
            as_time::<Time32MillisecondType>(value.into()).map(|time| time.to_string())
        }),
        Time64(TimeUnit::Microsecond) => each::<Time64MicrosecondType>(column, |value| {
            as_time::<Time64MicrosecondType>(value).map(|time| time.to_string())
        }),
        Time64(_) => each::<Time64NanosecondType>(column, |value| {
            as_time::<Time64NanosecondType>(value).map(|time| time.to_string())
        }),
        Timestamp(unit, zone) => {
            let zone = zone.as_deref().map(Zone::new);
            match unit {
                TimeUnit::Second => stamps::<TimestampSecondType>(column, zone),
                TimeUnit::Millisecond => stamps::<TimestampMillisecondType>(column, zone),
                TimeUnit::Microsecond => stamps::<TimestampMicrosecondType>(column, zone),
                TimeUnit::Nanosecond => stamps::<TimestampNanosecondType>(column, zone),
            }
        }
        _ => return None,
    })
}

fn each<'a, T: ArrowPrimitiveType>(
    column: &'a ArrayRef,
    text: impl Fn(T::Native) -> Option<String> + 'a,
) -> Texts<'a> {
    let values = column.as_primitive::<T>().iter();
    Box::new(values.map(move |value| text(value?)))
}

fn decimals<T: DecimalType>(column: &ArrayRef) -> Texts<'_> {
    let values = column.as_primitive::<T>();
    let rows = 0..values.len();
    Box::new(rows.map(move |row| values.is_valid(row).then(|| values.value_as_string(row))))
}

fn moment<T: ArrowPrimitiveType<Native = i64>>(value: i64) -> Option<String> {
    as_datetime::<T>(value).map(|found| format!("{found:?}"))
}

/// Where a time is local: so far from UTC, or UTC itself where a zone has a name.
#[derive(Clone, Copy)]
enum Zone {
    Offset(Tz),
    Utc,
}

impl Zone {
    fn new(name: &str) -> Self {
        name.parse().map_or(Zone::Utc, Zone::Offset)
    }
}

fn stamps<T: ArrowTimestampType>(column: &ArrayRef, zone: Option<Zone>) -> Texts<'_> {
    each::<T>(column, move |value| match zone {
        None => moment::<T>(value),
        Some(Zone::Utc) => moment::<T>(value).map(|text| text + "Z"),
        Some(Zone::Offset(zone)) => {
            let found = arrow_array::temporal_conversions::as_datetime_with_timezone::<T>;
            found(value, zone).map(|time| format!("{:?}{}", time.naive_local(), time.format("%:z")))
        }
    })
}

/// Lists of any of Arrow's kinds, their items converted.
fn lists(column: &ArrayRef, item: &FieldRef, misfits: Misfits) -> Result<ArrayRef> {
    let (items, offsets): (ArrayRef, Vec<i64>) = match column.data_type() {
        DataType::List(_) => {
            let lists = column.as_list::<i32>();
            let offsets = lists.offsets().iter().map(|&offset| offset.into());
            (lists.values().clone(), offsets.collect())
        }
        DataType::LargeList(_) => {
            let lists = column.as_list::<i64>();
            (lists.values().clone(), lists.offsets().to_vec())
        }
        DataType::FixedSizeList(..) => {
            let lists = column.as_fixed_size_list();
            let length = i64::from(lists.value_length());
            let offsets = (0..=lists.len() as i64).map(|list| list * length);
            (lists.values().clone(), offsets.collect())
        }
        other => return Err(refused(other, &DataType::LargeList(item.clone()))),
    };
    let items = convert(&items, item.data_type(), misfits)?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    LargeListArray::try_new(item.clone(), offsets, items, column.nulls().cloned())
        .map(|lists| Arc::new(lists) as ArrayRef)
        .map_err(|error| Error::malformed(format!("cannot be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::builder::{Int64Builder, ListBuilder};
    use arrow_array::{
        BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Int32Array, NullArray,
        StringViewArray, TimestampMicrosecondArray, UInt64Array,
    };
    use arrow_schema::Field;

    fn numbers(column: impl Array + 'static) -> Vec<Option<f64>> {
        let column = Arc::new(column) as ArrayRef;
        let found = convert(&column, &DataType::Float64, Misfits::BecomeNull).unwrap();
        found.as_primitive::<Float64Type>().iter().collect()
    }

    fn texts(column: impl Array + 'static) -> Vec<Option<String>> {
        let column = Arc::new(column) as ArrayRef;
        let found = convert(&column, &DataType::LargeUtf8, Misfits::BecomeNull).unwrap();
        let found = found.as_string::<i64>().iter();
        found.map(|text| text.map(str::to_owned)).collect()
    }

    fn owned(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn numbers_of_every_width_and_of_decimals_flags_and_texts() {
        assert_eq!(numbers(UInt64Array::from(vec![3, u64::MAX]))[0], Some(3.0));
        assert_eq!(
            numbers(Int32Array::from(vec![Some(-7), None])),
            [Some(-7.0), None]
        );
        assert_eq!(
            numbers(BooleanArray::from(vec![true, false])),
            [Some(1.0), Some(0.0)]
        );
        let decimals = Decimal128Array::from(vec![12345, -5]);
        let decimals = decimals.with_precision_and_scale(10, 2).unwrap();
        assert_eq!(numbers(decimals), [Some(123.45), Some(-0.05)]);
        let words = StringViewArray::from(vec!["0.25", "x"]);
        assert_eq!(numbers(words), [Some(0.25), None]);
        assert_eq!(numbers(NullArray::new(2)), [None, None]);
    }

    #[test]
    fn dates_and_times_are_written_as_iso_8601_has_them() {
        assert_eq!(
            texts(Date32Array::from(vec![19724])),
            owned(&["2024-01-02"])
        );
        let stamp = || TimestampMicrosecondArray::from(vec![1_704_164_645_250_000]);
        assert_eq!(texts(stamp()), owned(&["2024-01-02T03:04:05.250"]));
        for (zone, wanted) in [
            ("UTC", "2024-01-02T03:04:05.250Z"),
            ("+02:00", "2024-01-02T05:04:05.250+02:00"),
        ] {
            assert_eq!(
                texts(stamp().with_timezone(zone)),
                owned(&[wanted]),
                "{zone}"
            );
        }
    }

    #[test]
    fn texts_are_read_from_every_encoding_and_whole_numbers_stay_whole() {
        let words: DictionaryArray<Int32Type> = ["b", "a", "b"].into_iter().collect();
        assert_eq!(texts(words), owned(&["b", "a", "b"]));
        let large = UInt64Array::from(vec![u64::MAX]);
        assert_eq!(texts(large), owned(&["18446744073709551615"]));
        assert_eq!(texts(Float64Array::from(vec![1.0])), owned(&["1.0"]));
    }

    #[test]
    fn lists_keep_their_holes_and_their_lengths() {
        let mut builder = ListBuilder::new(Int64Builder::new());
        builder.append_value([Some(1), None]);
        builder.append_null();
        builder.append_value([Some(4)]);
        let lists = Arc::new(builder.finish().slice(1, 2)) as ArrayRef;
        let item = Arc::new(Field::new("item", DataType::Float64, true));
        let found = convert(&lists, &DataType::LargeList(item), Misfits::AreRefused).unwrap();
        let found = found.as_list::<i64>();
        assert!(found.is_null(0));
        let last = found.value(1);
        assert_eq!(last.as_primitive::<Float64Type>().values(), &[4.0]);
    }

    #[test]
    fn what_does_not_fit_becomes_null_or_is_refused() {
        let column = Arc::new(StringArray::from(vec!["1", "true"])) as ArrayRef;
        assert!(convert(&column, &DataType::Float64, Misfits::BecomeNull).is_ok());
        let strict = convert(&column, &DataType::Float64, Misfits::AreRefused);
        let message = strict.unwrap_err().to_string();
        assert!(
            message.contains("Utf8 values cannot be read as Float64"),
            "{message}"
        );
        let dates = Arc::new(Date32Array::from(vec![1])) as ArrayRef;
        assert!(convert(&dates, &DataType::Float64, Misfits::BecomeNull).is_err());
    }
}
