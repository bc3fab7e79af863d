/** The seam between a cluster and what it is built on, and what a node is told about its network. */
package io.fibry.cluster.engine;
