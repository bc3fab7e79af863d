/** What JMH runs. */
package io.fibry.bench.jmh;
