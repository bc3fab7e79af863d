/**
 * Clusters without threads, sockets and clocks: nodes, their network, their tables and the faults of all of them are events of one queue,
 * in an order that a seed decides. A seed always gives the same run.
 */
package io.fibry.cluster.simulation;
