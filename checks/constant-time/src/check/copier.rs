//! Runs a function as a copy of its code that records all addresses. The copy is made block by
//! block; a block ends at the next jump. Before each instruction the copy stores the registers
//! from which the instruction computes an address.
//!
//! Single-stepping through the original would take a trap for each instruction, which is
//! hundreds of times slower.
//!
//! A block is copied when it is first reached. The copy ends in a jump to `leave`, which saves
//! all registers and calls [`block_done`]: it takes the record of the block, and finds or makes
//! the copy of the next one. The recording instructions are only `mov` and `lea`, which change
//! no flag; they restore the registers that they use.
//!
//! It is one file, long as it is, because every part of it relies on what the copies leave in registers.

use std::alloc::{GlobalAlloc, Layout, System};
use std::arch::naked_asm;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::offset_of;
use std::ptr::{null_mut, slice_from_raw_parts_mut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::ensure;
use iced_x86::{
    Code, Decoder, DecoderOptions, Encoder, FlowControl, Instruction, InstructionInfoFactory,
    MemoryOperand, Mnemonic, OpKind, Register,
};
use nix::libc;

/// A block that was run: its address in the original code, and a hash of the registers from
/// which it computed addresses.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Step {
    pub at: u64,
    addresses: u64,
}

const COPIES: usize = 32 << 20;
const RECORDS: usize = 1 << 20;
const STACK: usize = 4 << 20;
const ARENA: usize = 256 << 20;
/// The largest number of instructions in a block.
const LONGEST: usize = 500;

/// The return address of the traced function.
const END: u64 = 1;

#[repr(C, align(4096))]
struct Memory {
    /// The code of the copies.
    copies: [u8; COPIES],
    /// The records of the copies: a place for each register from which an address is computed.
    records: [u64; RECORDS],
    /// The stack of the traced function.
    stack: [u8; STACK],
    /// Vector registers while `block_done` runs.
    vectors: Aligned<[u8; 16 << 10]>,
    /// The other registers while `block_done` runs, and the flags.
    registers: [u64; 16],
    /// The address of the next block: of the original, then of the copy.
    next: u64,
    /// A register that a copy restores.
    saved: u64,
    /// The stack pointer of the traced function while `block_done` runs, and that of this program.
    stack_pointers: [u64; 2],
    /// The address of `leave`.
    leave: u64,
    /// The state of [`block_done`].
    copier: *mut Copier,
    steps: *mut [Step],
    count: usize,
}

#[repr(C, align(64))]
struct Aligned<T>(T);

/// All of this is one static: each byte is near the copies, and at the same address in forks. It
/// is all zero, so it takes no space in the program's file.
static mut MEMORY: Memory = Memory {
    copies: [0; COPIES],
    records: [0; RECORDS],
    stack: [0; STACK],
    vectors: Aligned([0; 16 << 10]),
    registers: [0; 16],
    next: 0,
    saved: 0,
    stack_pointers: [0; 2],
    leave: 0,
    copier: null_mut(),
    steps: slice_from_raw_parts_mut(null_mut(), 0),
    count: 0,
};

// SAFETY of every block here: the program has one thread, and while a function is traced only
// the copies and what they call run, so nothing else accesses MEMORY. The copies do what the
// originals do, and record as described above.

/// Runs the work, and writes the blocks that it runs into `steps`. Returns their number.
///
/// The copies stay, so call this once in a process.
pub fn trace<F: FnOnce()>(work: F, steps: &mut [Step]) -> anyhow::Result<usize> {
    extern "C" fn call<F: FnOnce()>(work: *mut Option<F>) {
        // SAFETY: it points to the work below.
        if let Some(work) = unsafe { (*work).take() } {
            work();
        }
    }
    let memory = &raw mut MEMORY;
    let mut work = Some(work);
    unsafe {
        let all = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        let denied = libc::mprotect((&raw mut (*memory).copies).cast(), COPIES, all);
        ensure!(
            denied == 0,
            "this system does not allow memory that is both writable and executable"
        );
        ensure!((*memory).copier.is_null(), "traced twice");
        (*memory).leave = leave as *const () as u64;
        (*memory).steps = steps;
        (*memory).copier = apart(|| Box::into_raw(Box::new(Copier::new())));
        let top = (&raw mut (*memory).stack)
            .cast::<u8>()
            .add(STACK - 64)
            .cast::<u64>();
        top.sub(1).write(END);
        (*memory).stack_pointers[0] = top.sub(1) as u64;
        let first = apart(|| (*(*memory).copier).find(call::<F> as *const () as u64));
        (*memory).next = first;
        enter(&raw mut work);
        Ok((*memory).count)
    }
}

/// Called with all registers saved. Returns the address to jump to next, or 0 at the end.
extern "C" fn block_done() -> u64 {
    let memory = &raw mut MEMORY;
    apart(|| unsafe {
        let copier = &mut *(*memory).copier;
        let steps = &mut *(*memory).steps;
        let step = copier.step();
        let count = (*memory).count;
        assert!(count < steps.len(), "the work is too long to be traced");
        steps[count] = step;
        (*memory).count += 1;
        match (*memory).next {
            END => 0,
            next => copier.find(next),
        }
    })
}

/// Switches from this program to the first copy, with one argument.
#[unsafe(naked)]
extern "C" fn enter<F>(_work: *mut Option<F>) {
    naked_asm!(
        "push rbx", "push rbp", "push r12", "push r13", "push r14", "push r15", "push r15",
        "mov [rip + {memory} + {stack} + 8], rsp",
        "mov rsp, [rip + {memory} + {stack}]",
        "jmp [rip + {memory} + {next}]",
        memory = sym MEMORY,
        stack = const offset_of!(Memory, stack_pointers),
        next = const offset_of!(Memory, next),
    )
}

/// Switches from a copy to this program, and to the next copy.
#[unsafe(naked)]
extern "C" fn leave() {
    naked_asm!(
        "mov [rip + {memory} + {stack}], rsp",
        "lea rsp, [rip + {memory} + {registers} + 128]",
        "pushfq",
        "push r15", "push r14", "push r13", "push r12", "push r11", "push r10", "push r9",
        "push r8", "push rdi", "push rsi", "push rbp", "push rbx", "push rdx", "push rcx",
        "push rax",
        "mov rsp, [rip + {memory} + {stack} + 8]",
        "cld",
        "mov eax, -1",
        "mov edx, -1",
        "xsave64 [rip + {memory} + {vectors}]",
        "call {block_done}",
        "test rax, rax",
        "jz 2f",
        "mov [rip + {memory} + {next}], rax",
        "mov eax, -1",
        "mov edx, -1",
        "xrstor64 [rip + {memory} + {vectors}]",
        "lea rsp, [rip + {memory} + {registers}]",
        "pop rax", "pop rcx", "pop rdx", "pop rbx", "pop rbp", "pop rsi", "pop rdi",
        "pop r8", "pop r9", "pop r10", "pop r11", "pop r12", "pop r13", "pop r14", "pop r15",
        "popfq",
        "mov rsp, [rip + {memory} + {stack}]",
        "jmp [rip + {memory} + {next}]",
        // Return to the caller of `enter`.
        "2:",
        "pop r15", "pop r15", "pop r14", "pop r13", "pop r12", "pop rbp", "pop rbx",
        "ret",
        memory = sym MEMORY,
        stack = const offset_of!(Memory, stack_pointers),
        next = const offset_of!(Memory, next),
        registers = const offset_of!(Memory, registers),
        vectors = const offset_of!(Memory, vectors),
        block_done = sym block_done,
    )
}

/// A copy of a block.
#[derive(Clone, Copy)]
struct Block {
    /// The address of the original.
    at: u64,
    copy: u64,
    /// The range of its records.
    records: (usize, usize),
}

struct Copier {
    blocks: BTreeMap<u64, Block>,
    current: Option<Block>,
    encoder: Encoder,
    info: InstructionInfoFactory,
    copied: usize,
    recorded: usize,
}

impl Copier {
    fn new() -> Self {
        Self {
            blocks: BTreeMap::new(),
            current: None,
            encoder: Encoder::new(64),
            info: InstructionInfoFactory::new(),
            copied: 0,
            recorded: 0,
        }
    }

    /// The record of the current block.
    fn step(&self) -> Step {
        let block = self.current.expect("a block");
        let mut hasher = DefaultHasher::new();
        unsafe {
            let memory = &raw const MEMORY;
            for i in block.records.0..block.records.1 {
                let value = (*memory).records[i];
                value.hash(&mut hasher);
            }
        }
        Step {
            at: block.at,
            addresses: hasher.finish(),
        }
    }

    /// The copy of the block that begins at this address.
    fn find(&mut self, at: u64) -> u64 {
        let block = match self.blocks.get(&at) {
            Some(block) => *block,
            None => {
                let block = self.copy(at);
                self.blocks.insert(at, block);
                block
            }
        };
        self.current = Some(block);
        block.copy
    }

    fn copy(&mut self, at: u64) -> Block {
        let copy = self.here();
        let first = self.recorded;
        let mut from = at;
        for _ in 0..LONGEST {
            // SAFETY: the program is about to run this code. An instruction has at most 15 bytes;
            // the pages of code end in padding or in other sections.
            let bytes = unsafe { std::slice::from_raw_parts(from as *const u8, 15) };
            let mut instruction = Decoder::with_ip(64, bytes, from, DecoderOptions::NONE).decode();
            assert!(
                !instruction.is_invalid(),
                "unknown instruction at {from:#x}"
            );
            from = instruction.next_ip();
            self.record(&instruction);
            if self.ends_block(&mut instruction) {
                return Block {
                    at,
                    copy,
                    records: (first, self.recorded),
                };
            }
            self.put_anywhere(instruction);
        }
        self.go_on_at(from);
        Block {
            at,
            copy,
            records: (first, self.recorded),
        }
    }

    /// Stores the registers from which the instruction computes addresses.
    fn record(&mut self, instruction: &Instruction) {
        let mut registers = Vec::new();
        for used in self.info.info(instruction).used_memory() {
            registers.extend([used.base(), used.index()]);
            assert!(
                !used.index().is_vector_register(),
                "a gather at {:#x}",
                instruction.ip()
            );
        }
        // The count of repeated instructions.
        if instruction.has_rep_prefix() || instruction.has_repne_prefix() {
            registers.push(Register::RCX);
        }
        registers.retain(|register| register.is_gpr());
        registers.sort();
        registers.dedup();
        for register in registers {
            let register = register.full_register();
            let memory = &raw const MEMORY;
            assert!(self.recorded < RECORDS, "too many records");
            let place = unsafe { &raw const (*memory).records[self.recorded] };
            self.recorded += 1;
            self.store(place as u64, register);
        }
    }

    /// Copies the jump that ends a block, if this is one. A table of all kinds of jumps.
    fn ends_block(&mut self, instruction: &mut Instruction) -> bool {
        let (next, _) = places();
        match instruction.flow_control() {
            FlowControl::Next => return false,
            FlowControl::Call if instruction.mnemonic() == Mnemonic::Syscall => return false,
            FlowControl::UnconditionalBranch => self.go_on_at(instruction.near_branch_target()),
            FlowControl::ConditionalBranch => {
                assert!(instruction.is_jcc_short_or_near(), "{instruction:?}");
                // The jump skips the code for the case without a jump. A near jump has 6 bytes.
                let jump = self.copied;
                self.copied += 6;
                self.go_on_at(instruction.next_ip());
                let (taken, behind) = (self.here(), self.copied);
                let target = instruction.near_branch_target();
                instruction.as_near_branch();
                instruction.set_near_branch64(taken);
                self.copied = jump;
                self.put(*instruction);
                assert_eq!(self.copied, jump + 6);
                self.copied = behind;
                self.go_on_at(target);
            }
            FlowControl::Call => {
                self.push(instruction.next_ip());
                self.go_on_at(instruction.near_branch_target());
            }
            FlowControl::IndirectBranch | FlowControl::IndirectCall => {
                if instruction.op0_kind() == OpKind::Register {
                    self.store(next, instruction.op0_register());
                } else {
                    let mut load = Instruction::with2(
                        Code::Mov_r64_rm64,
                        Register::RAX,
                        MemoryOperand::with_base(Register::RAX),
                    )
                    .expect("mov");
                    load.set_memory_base(instruction.memory_base());
                    load.set_memory_index(instruction.memory_index());
                    load.set_memory_index_scale(instruction.memory_index_scale());
                    load.set_memory_displacement64(instruction.memory_displacement64());
                    load.set_memory_displ_size(instruction.memory_displ_size());
                    load.set_segment_prefix(instruction.segment_prefix());
                    self.save();
                    if load.memory_base() == Register::RIP {
                        self.constant(Register::RAX, load.memory_displacement64());
                        load.set_memory_base(Register::RAX);
                        load.set_memory_displacement64(0);
                        load.set_memory_displ_size(0);
                    }
                    self.put(load);
                    self.store(next, Register::RAX);
                    self.restore();
                }
                if instruction.flow_control() == FlowControl::IndirectCall {
                    self.push(instruction.next_ip());
                }
                self.leave();
            }
            FlowControl::Return => {
                self.save();
                let top = MemoryOperand::with_base(Register::RSP);
                self.put(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, top).expect("mov"));
                self.store(next, Register::RAX);
                self.restore();
                let more = match instruction.op_count() {
                    0 => 0,
                    _ => i64::from(instruction.immediate16()),
                };
                self.move_stack(8 + more);
                self.leave();
            }
            other => panic!("cannot follow {other:?} at {:#x}", instruction.ip()),
        }
        true
    }

    /// Copies an instruction. If it addresses memory relative to itself, the copy uses the
    /// absolute address.
    fn put_anywhere(&mut self, mut instruction: Instruction) {
        if !instruction.is_ip_rel_memory_operand() {
            return self.put(instruction);
        }
        let address = instruction.ip_rel_memory_address();
        if instruction.mnemonic() == Mnemonic::Lea {
            return self.constant(instruction.op0_register().full_register(), address);
        }
        let used = self.info.info(&instruction).used_registers().to_vec();
        let free = |free: &Register| used.iter().all(|u| u.register().full_register() != *free);
        let all = [
            Register::RAX,
            Register::RCX,
            Register::RDX,
            Register::RBX,
            Register::RSI,
        ];
        let scratch = all.into_iter().find(free).expect("a free register");
        let (_, saved) = places();
        self.store(saved, scratch);
        self.constant(scratch, address);
        instruction.set_memory_base(scratch);
        instruction.set_memory_displacement64(0);
        instruction.set_memory_displ_size(0);
        self.put(instruction);
        self.load(scratch, saved);
    }

    fn go_on_at(&mut self, at: u64) {
        let (next, _) = places();
        self.save();
        self.constant(Register::RAX, at);
        self.store(next, Register::RAX);
        self.restore();
        self.leave();
    }

    fn leave(&mut self) {
        let leave = unsafe { &raw const MEMORY.leave } as i64;
        let leave = MemoryOperand::with_base_displ(Register::RIP, leave);
        self.put(Instruction::with1(Code::Jmp_rm64, leave).expect("jmp"));
    }

    fn push(&mut self, value: u64) {
        self.move_stack(-8);
        for (half, at) in [(value as i32, 0), ((value >> 32) as i32, 4)] {
            let place = MemoryOperand::with_base_displ(Register::RSP, at);
            self.put(Instruction::with2(Code::Mov_rm32_imm32, place, half).expect("mov"));
        }
    }

    fn move_stack(&mut self, by: i64) {
        let place = MemoryOperand::with_base_displ(Register::RSP, by);
        self.put(Instruction::with2(Code::Lea_r64_m, Register::RSP, place).expect("lea"));
    }

    fn save(&mut self) {
        self.store(places().1, Register::RAX);
    }

    fn restore(&mut self) {
        self.load(Register::RAX, places().1);
    }

    fn constant(&mut self, register: Register, value: u64) {
        self.put(Instruction::with2(Code::Mov_r64_imm64, register, value).expect("mov"));
    }

    fn store(&mut self, place: u64, register: Register) {
        let place = MemoryOperand::with_base_displ(Register::RIP, place as i64);
        self.put(Instruction::with2(Code::Mov_rm64_r64, place, register).expect("mov"));
    }

    fn load(&mut self, register: Register, place: u64) {
        let place = MemoryOperand::with_base_displ(Register::RIP, place as i64);
        self.put(Instruction::with2(Code::Mov_r64_rm64, register, place).expect("mov"));
    }

    /// The address of the next instruction of a copy.
    fn here(&self) -> u64 {
        (&raw const MEMORY).cast::<u8>() as u64 + self.copied as u64
    }

    fn put(&mut self, instruction: Instruction) {
        let here = self.here();
        let encoded = self.encoder.encode(&instruction, here);
        let len = encoded.unwrap_or_else(|error| panic!("{instruction:?}: {error}"));
        let bytes = self.encoder.take_buffer();
        assert!(self.copied + 64 < COPIES, "too much code");
        unsafe {
            let memory = &raw mut MEMORY;
            (&raw mut (*memory).copies)
                .cast::<u8>()
                .add(self.copied)
                .copy_from_nonoverlapping(bytes.as_ptr(), len);
        }
        self.copied += len;
    }
}

/// The addresses of `next` and of `saved`.
fn places() -> (u64, u64) {
    unsafe {
        (
            &raw const MEMORY.next as u64,
            &raw const MEMORY.saved as u64,
        )
    }
}

/// An allocator with its own arena for code that runs between the blocks: the blocks may be
/// those of the system's allocator.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

static APART: AtomicBool = AtomicBool::new(false);
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static mut OWN: Aligned<[u8; ARENA]> = Aligned([0; ARENA]);

/// Runs work that must not touch the memory of the traced function.
fn apart<T>(work: impl FnOnce() -> T) -> T {
    APART.store(true, Ordering::Relaxed);
    let result = work();
    APART.store(false, Ordering::Relaxed);
    result
}

// SAFETY: every part of OWN is given out once and never reused; the rest is the system's.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !APART.load(Ordering::Relaxed) {
            return unsafe { System.alloc(layout) };
        }
        let size = layout.size().next_multiple_of(64);
        let at = TAKEN.fetch_add(size, Ordering::Relaxed);
        if layout.align() > 64 || at + size > ARENA {
            return null_mut();
        }
        unsafe { (&raw mut OWN).cast::<u8>().add(at) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        let start = (&raw const OWN).cast::<u8>() as usize;
        if !(start..start + ARENA).contains(&(at as usize)) {
            unsafe { System.dealloc(at, layout) }
        }
    }
}
