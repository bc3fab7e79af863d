/** Orders for a database that can serve only so many, and what shops do with the rest. */
package io.fibry.bench.orders;
