//! Bytes of a file, unpacked if it is gzip.

use crate::refusal::{Error, malformed};
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

const GZIP: [u8; 2] = [0x1f, 0x8b];
const AT_ONCE: usize = 1 << 20;

/// The bytes of a file.
pub enum Source<R: Read> {
    Plain(BufReader<R>),
    Gzip(Box<BufReader<MultiGzDecoder<BufReader<R>>>>),
}

impl<R: Read> Source<R> {
    /// Begins to read a file.
    pub fn new(file: R) -> Result<Self, Error> {
        let mut packed = BufReader::with_capacity(AT_ONCE, file);
        if packed.fill_buf()?.starts_with(&GZIP) {
            return Ok(Self::Gzip(Box::new(BufReader::with_capacity(AT_ONCE, MultiGzDecoder::new(packed)))));
        }
        Ok(Self::Plain(packed))
    }

    /// Fills a buffer, and returns how many bytes the file had.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) => return Err(self.failed(error)),
            }
        }
        Ok(filled)
    }

    /// Passes over bytes, and returns how many the file had.
    pub fn skip(&mut self, count: usize) -> Result<usize, Error> {
        let mut left = count;
        while left > 0 {
            let here = match self.fill_buf() {
                Ok([]) => break,
                Ok(bytes) => bytes.len().min(left),
                Err(error) => return Err(self.failed(error)),
            };
            self.consume(here);
            left -= here;
        }
        Ok(count - left)
    }

    /// Returns the error of a file whose bytes ended with an error.
    pub fn problem(is_gzip: bool, error: io::Error) -> Error {
        let kinds = [ErrorKind::InvalidInput, ErrorKind::InvalidData, ErrorKind::UnexpectedEof];
        if is_gzip && kinds.contains(&error.kind()) {
            return malformed(format!("not a whole gzip file: {error}"));
        }
        Error::Failed(error)
    }

    fn failed(&self, error: io::Error) -> Error {
        Self::problem(matches!(self, Self::Gzip(_)), error)
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(buffer),
            Self::Gzip(file) => file.read(buffer),
        }
    }
}

impl<R: Read> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Plain(file) => file.fill_buf(),
            Self::Gzip(file) => file.fill_buf(),
        }
    }

    fn consume(&mut self, count: usize) {
        match self {
            Self::Plain(file) => file.consume(count),
            Self::Gzip(file) => file.consume(count),
        }
    }
}
