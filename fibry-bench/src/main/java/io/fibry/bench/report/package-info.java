/** What was measured, where, and how it is shown. */
package io.fibry.bench.report;
