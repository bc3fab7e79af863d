/** The benchmarks that JMH runs. */
package io.fibry.bench.jmh;
