/** A market: orders as state machines, matched in a pool, published by topics, on one live page. */
package io.fibry.examples.market;
