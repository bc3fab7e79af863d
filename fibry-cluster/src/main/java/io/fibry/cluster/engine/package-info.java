/** The interface between a cluster and its engine, and an engine in memory for tests. */
package io.fibry.cluster.engine;
