package io.fibry.internal.actor;

/**
 * Keeps the header of a chunk, which all senders read, out of the cache line of {@link ChunkIndex#index}, which all
 * senders write. Padding is a class of its own because a JVM sorts the fields within one class.
 */
public abstract class ChunkFront extends Node {
    int p0; // fills a gap that would otherwise take a field of a subclass
    long p1;
    long p2;
    long p3;
    long p4;
    long p5;
    long p6;
    long p7;
    long p8;
}
