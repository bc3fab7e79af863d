package io.fibry.bench;

/** The names of peers. The first word decides the colour. */
final class Peers {
    static final String FIBERS = "Fibry, fibers";
    static final String FIBERS_LANES_OFF = "Fibry, fibers, lanes off";
    static final String THREADS = "Fibry, threads";
    static final String POOL = "Fibry, pool(2)";
    static final String PEKKO = "Apache Pekko";
    static final String KOTLIN = "Kotlin, coroutines + channels";
    static final String VIRTUAL_JCTOOLS = "virtual thread + JCTools' array queue";
    static final String VIRTUAL_TRANSFER = "virtual thread + LinkedTransferQueue";
    static final String VIRTUAL_BLOCKING = "virtual thread + LinkedBlockingQueue";
    static final String PLATFORM_TRANSFER = "thread + LinkedTransferQueue";
    static final String PLATFORM_BLOCKING = "thread + LinkedBlockingQueue";
    /** The argument of the JVM for actors on fibers without lanes. */
    static final String LANES_OFF = "-Dio.fibry.lanes=off";

    private Peers() {
    }
}
