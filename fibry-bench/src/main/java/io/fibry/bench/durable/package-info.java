/** Accounts whose deposits are on the disk before they are answered, for the experiment {@code durable}. */
package io.fibry.bench.durable;
