package core

const withOracle = false
