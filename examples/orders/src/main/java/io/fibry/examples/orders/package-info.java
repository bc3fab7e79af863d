/** More orders than a database can take, with and without actors. */
package io.fibry.examples.orders;
