/** Banks that transfer money between two accounts in different ways, and clients that make random transfers. */
package io.fibry.bench.bank;
