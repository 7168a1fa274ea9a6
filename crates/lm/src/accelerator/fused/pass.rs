//! From tokens to the states of the rows that predict.

use std::f32::consts::LOG2_E;
use std::sync::PoisonError;

use candle_core::cuda::cudarc::driver::CudaSlice;
use candle_core::{Result, Tensor};

use super::super::TensorEngine;
use super::super::packed::{Packed, TILE};
use super::super::upload::{Block, Norm};
use super::kernels::Argument::{At, Count, Number, Size};
use super::kernels::Grid;
use super::product::Into;
use super::{Address, Fused, Turning, address, optional_address};
use crate::config::{Activation, Config, NormKind, Rope};
use crate::decoder::Decoder;

/// Rows of a block of `normalise`, a warp each.
const NORMS: usize = 4;

/// What a pass writes to, and where it reads what it was given.
struct Rooms {
    rows: usize,
    /// In f32; the rest in 16 bits.
    state: CudaSlice<f32>,
    normed: CudaSlice<u16>,
    fused: CudaSlice<u16>,
    attended: CudaSlice<u16>,
    up: CudaSlice<u16>,
    gated: Option<CudaSlice<u16>>,
    tokens: CudaSlice<u32>,
    positions: CudaSlice<u32>,
    tiles: CudaSlice<u32>,
    tile_count: usize,
}

/// Normalised states of the rows that predict, in 16 bits, one behind the other.
pub(super) type Hidden = CudaSlice<u16>;

impl Fused {
    pub(super) fn hidden(&self, engine: &TensorEngine, packed: &Packed) -> Result<Hidden> {
        let rooms = self.rooms(&engine.config, packed)?;
        let (cosines, sines) = self.turning(engine.config.rope.as_ref(), packed.longest)?;
        self.embed(engine, &rooms)?;
        let mut late: Option<&Tensor> = None;
        for (layer, block) in engine.blocks.iter().enumerate() {
            let biases = self.late.get(layer);
            self.normalise(engine, &rooms, &block.before_attention, late)?;
            self.look(&engine.config, &rooms, block, cosines, sines)?;
            self.attend(&engine.config, &rooms, layer)?;
            late = biases.and_then(|late| late.after_attention.as_ref());
            if engine.config.parallel {
                // The second norm reads the state that the first one read.
                self.normalise(engine, &rooms, &block.before_feed_forward, late)?;
                self.add_attended(&rooms, block)?;
            } else {
                self.add_attended(&rooms, block)?;
                self.normalise(engine, &rooms, &block.before_feed_forward, late)?;
            }
            self.feed_forward(&engine.config, &rooms, block)?;
            late = biases.and_then(|late| late.after_feed_forward.as_ref());
        }
        self.last(engine, rooms, packed, late)
    }

    fn rooms(&self, config: &Config, packed: &Packed) -> Result<Rooms> {
        let rows = packed.rows();
        let gated = Decoder::gated(config);
        Ok(Rooms {
            rows,
            state: self.room(rows * config.width)?,
            normed: self.room(rows * config.width)?,
            fused: self.room(rows * (config.query_width() + 2 * config.kv_width()))?,
            attended: self.room(rows * config.query_width())?,
            up: self.room(rows * config.hidden)?,
            gated: gated.then(|| self.room(rows * config.hidden)).transpose()?,
            tokens: self.device.clone_htod(&packed.tokens)?,
            positions: self.device.clone_htod(&packed.positions)?,
            tiles: self.device.clone_htod(&packed.tiles)?,
            tile_count: packed.tiles.len() / 3,
        })
    }

    /// Cosines and sines of all positions up to `length`; they are kept for later passes.
    fn turning(&self, rope: Option<&Rope>, length: usize) -> Result<(Address, Address)> {
        let Some(rope) = rope else {
            return Ok((0, 0));
        };
        let mut kept = self.turning.lock().unwrap_or_else(PoisonError::into_inner);
        let enough = kept.as_ref().is_some_and(|kept| kept.positions >= length);
        if !enough {
            let (cosines, sines) = rope.tables(0..length);
            *kept = Some(Turning {
                positions: length,
                cosines: self.device.clone_htod(&cosines)?,
                sines: self.device.clone_htod(&sines)?,
            });
        }
        Ok(kept.as_ref().map_or((0, 0), |kept| {
            (self.place(&kept.cosines), self.place(&kept.sines))
        }))
    }

    fn embed(&self, engine: &TensorEngine, rooms: &Rooms) -> Result<()> {
        let arguments = [
            At(self.place(&rooms.state)),
            At(address(&engine.embedding)?),
            At(optional_address(engine.positions.as_ref())?),
            At(self.place(&rooms.tokens)),
            At(self.place(&rooms.positions)),
            Count(engine.config.width as i32),
        ];
        let grid = Grid::new(rooms.rows, 128);
        self.kernels.launch(&self.kernels.embed, grid, &arguments)
    }

    fn normalise(
        &self,
        engine: &TensorEngine,
        rooms: &Rooms,
        norm: &Norm,
        late: Option<&Tensor>,
    ) -> Result<()> {
        let out = self.place(&rooms.normed);
        self.normalise_chosen(engine, rooms, norm, late, (out, 0, rooms.rows))
    }

    /// Into `out` go rows that `chosen` names, or all.
    fn normalise_chosen(
        &self,
        engine: &TensorEngine,
        rooms: &Rooms,
        norm: &Norm,
        late: Option<&Tensor>,
        (out, chosen, rows): (Address, Address, usize),
    ) -> Result<()> {
        let arguments = [
            At(out),
            At(self.place(&rooms.state)),
            At(optional_address(late)?),
            At(chosen),
            At(address(&norm.weight)?),
            At(optional_address(norm.bias.as_ref())?),
            Count(rows as i32),
            Count(engine.config.width as i32),
            Number(engine.config.epsilon),
            Count(i32::from(engine.config.norm == NormKind::Layer)),
        ];
        let grid = Grid::new(rows.div_ceil(NORMS), 32 * NORMS as u32);
        self.kernels
            .launch(&self.kernels.normalise, grid, &arguments)
    }

    /// Queries, keys and values, queries and keys turned.
    fn look(
        &self,
        config: &Config,
        rooms: &Rooms,
        block: &Block,
        cosines: Address,
        sines: Address,
    ) -> Result<()> {
        let fused = self.place(&rooms.fused);
        let map = &block.queries_keys_values;
        let normed = self.place(&rooms.normed);
        self.product(normed, rooms.rows, &map.weight, Into::Sixteen(fused))?;
        let pairs = config.rope.as_ref().map_or(0, |rope| rope.width / 2);
        if pairs == 0 && map.bias.is_none() {
            return Ok(());
        }
        let arguments = [
            At(fused),
            At(optional_address(map.bias.as_ref())?),
            At(cosines),
            At(sines),
            At(self.place(&rooms.positions)),
            Count((config.heads + config.kv_heads) as i32),
            Count(pairs as i32),
            Count((config.query_width() + 2 * config.kv_width()) as i32),
        ];
        let grid = Grid::new(rooms.rows, 128);
        self.kernels.launch(&self.kernels.turn, grid, &arguments)
    }

    fn attend(&self, config: &Config, rooms: &Rooms, layer: usize) -> Result<()> {
        let arguments = [
            At(self.place(&rooms.attended)),
            At(self.place(&rooms.fused)),
            At(self.place(&rooms.tiles)),
            Count(config.heads as i32),
            Count(config.kv_heads as i32),
            Number(config.attention_scale(layer) * LOG2_E),
        ];
        let grid = Grid {
            blocks: (rooms.tile_count, config.heads),
            threads: 2 * TILE as u32,
            shared: self.kernels.shared,
        };
        self.kernels.launch(&self.kernels.attend, grid, &arguments)
    }

    fn add_attended(&self, rooms: &Rooms, block: &Block) -> Result<()> {
        let attended = self.place(&rooms.attended);
        let state = Into::Added(self.place(&rooms.state));
        self.product(attended, rooms.rows, &block.attention_out.weight, state)
    }

    fn feed_forward(&self, config: &Config, rooms: &Rooms, block: &Block) -> Result<()> {
        let (normed, up) = (self.place(&rooms.normed), self.place(&rooms.up));
        self.product(normed, rooms.rows, &block.up.weight, Into::Sixteen(up))?;
        let mut gates = (0, 0);
        if let (Some(gated), Some(room)) = (&block.gated, &rooms.gated) {
            gates = (self.place(room), optional_address(gated.bias.as_ref())?);
            self.product(normed, rooms.rows, &gated.weight, Into::Sixteen(gates.0))?;
        }
        let count = rooms.rows * config.hidden;
        let arguments = [
            At(up),
            At(optional_address(block.up.bias.as_ref())?),
            At(gates.0),
            At(gates.1),
            Size(count as u64),
            Count(config.hidden as i32),
            Count(number(config.activation)),
        ];
        let grid = Grid::new(count.div_ceil(8 * 256), 256);
        self.kernels.launch(&self.kernels.gate, grid, &arguments)?;
        let state = Into::Added(self.place(&rooms.state));
        self.product(up, rooms.rows, &block.down.weight, state)
    }

    fn last(
        &self,
        engine: &TensorEngine,
        rooms: Rooms,
        packed: &Packed,
        late: Option<&Tensor>,
    ) -> Result<Hidden> {
        let chosen = self.device.clone_htod(&packed.places)?;
        let rows = packed.places.len();
        let out = (self.place(&rooms.normed), self.place(&chosen), rows);
        self.normalise_chosen(engine, &rooms, &engine.last, late, out)?;
        Ok(rooms.normed)
    }
}

/// As `rows.cu` numbers them.
fn number(activation: Activation) -> i32 {
    match activation {
        Activation::Gelu => 0,
        Activation::GeluTanh => 1,
        Activation::Relu => 2,
        Activation::Silu => 3,
    }
}
