/** The seam between a cluster and what it is built on. Programs do not need it. */
package io.fibry.cluster.engine;
