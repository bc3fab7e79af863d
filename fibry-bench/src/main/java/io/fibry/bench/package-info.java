/** Experiments, and the program that runs them: {@link io.fibry.bench.Main}. */
package io.fibry.bench;
