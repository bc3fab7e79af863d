/** The results of measurements, and their texts and files. */
package io.fibry.bench.report;
