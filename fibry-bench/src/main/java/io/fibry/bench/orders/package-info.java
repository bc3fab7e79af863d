/** Orders for a database that can serve only a part of them, and shops that treat the rest in different ways. */
package io.fibry.bench.orders;
