/** Counters that three processes share: by Fibry, and by Pekko Cluster Sharding. */
package io.fibry.bench.cluster;
