/**
 * The engine of a cluster, by Infinispan and JGroups: {@link io.fibry.cluster.infinispan.InfinispanEngine}.
 */
@NullMarked
package io.fibry.cluster.infinispan;

import org.jspecify.annotations.NullMarked;
