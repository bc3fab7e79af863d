/** A shop with more orders than its database can serve, with and without actors. */
package io.fibry.examples.orders;
