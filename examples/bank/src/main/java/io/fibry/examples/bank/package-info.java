/** A bank: accounts that survive {@code kill -9}, and payments that arrive once or come back. */
package io.fibry.examples.bank;
