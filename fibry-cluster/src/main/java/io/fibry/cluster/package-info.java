/** Keyed actors that many nodes share. {@link io.fibry.cluster.Cluster} is where to begin. */
@NullMarked
package io.fibry.cluster;

import org.jspecify.annotations.NullMarked;
