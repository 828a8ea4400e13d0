// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

// A token for tests. token.hex is what solc 0.8.30 makes of it, optimized, for the EVM called cancun.
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Said(uint256 value);

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public immutable feePercent; // of every transfer, burned
    address public blocked; // gets nothing

    constructor(uint256 supply, uint256 fee) {
        feePercent = fee;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) public returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) public returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transferFrom(address from, address to, uint256 value) public returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    // scatter pays two, with something else said in between.
    function scatter(address a, address b, uint256 value) public {
        move(msg.sender, a, value);
        emit Said(value);
        move(msg.sender, b, value);
    }

    function ban(address who) public {
        blocked = who;
    }

    function move(address from, address to, uint256 value) private {
        require(to != blocked, "blocked");
        uint256 fee = value * feePercent / 100;
        balanceOf[from] -= value;
        balanceOf[to] += value - fee;
        emit Transfer(from, to, value - fee);
    }
}
