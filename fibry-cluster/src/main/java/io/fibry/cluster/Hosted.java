package io.fibry.cluster;

import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.home.NodeLoad;

/** What this node has of a group. */
abstract sealed class Hosted permits HostedGroup, HostedHere {
    final DeliveredAsks asks;

    Hosted(DeliveredAsks asks) {
        this.asks = asks;
    }

    final String name() {
        return asks.group();
    }

    /** Hands a message over, behind those that were delivered before. Called by the actor of the member; does not wait. */
    abstract void deliver(HomeDelivery delivery);

    /** Returns what other nodes are told. */
    abstract NodeLoad load();

    /** Returns whether others are to be told the load although it is as before. */
    boolean tellsAgain() {
        return false;
    }
}
