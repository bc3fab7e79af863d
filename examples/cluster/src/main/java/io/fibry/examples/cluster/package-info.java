/** A bank and a chat that several processes share. */
package io.fibry.examples.cluster;
