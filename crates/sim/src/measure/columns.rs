//! Named columns on their way out of the simulator.

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Floating point; NaN where there is nothing to say.
    Float(Vec<f64>),
    /// Whole numbers.
    Integer(Vec<u64>),
    /// Words.
    Text(Vec<String>),
}

/// Columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Name and values.
    pub columns: Vec<(String, Column)>,
}

impl Table {
    /// Appends a column of floating-point numbers.
    pub fn float(&mut self, name: &str, values: Vec<f64>) {
        self.columns.push((name.into(), Column::Float(values)));
    }

    /// Appends a column of whole numbers.
    pub fn integer(&mut self, name: &str, values: Vec<u64>) {
        self.columns.push((name.into(), Column::Integer(values)));
    }

    /// Appends a column of words.
    pub fn text(&mut self, name: &str, values: Vec<String>) {
        self.columns.push((name.into(), Column::Text(values)));
    }
}
