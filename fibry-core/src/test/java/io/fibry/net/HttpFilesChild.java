package io.fibry.net;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fibry.Stereotypes;
import io.fibry.testing.Classes;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/** An HTTP server whose process may open no more files while clients wait; prints how busy it is. */
final class HttpFilesChild {
    private HttpFilesChild() {
    }

    public static void main(String[] args) throws Exception {
        Classes.load();
        var server = Stereotypes.def().embeddedHttpServer(HttpOptions.localPort(0), exchange -> "hello");
        try (var client = new RawHttp(server)) {
            client.get("/");
        }
        load();
        if (args[0].equals("others")) {
            useUpAll(server);
        } else {
            crowd(server, Integer.parseInt(args[0]));
        }
        System.exit(0);
    }

    /** All classes that are needed later. */
    private static double load() throws InterruptedException {
        return processors(1);
    }

    /** The other process has as many connections as it likes. */
    private static void crowd(Server server, int port) throws Exception {
        try (var control = new Socket(InetAddress.getLoopbackAddress(), port)) {
            control.getOutputStream().write((server.port() + "\n").getBytes());
            control.getInputStream().read();
            tellHowBusy();
        }
    }

    /** A thread that spins gets a part of a processor on the busiest machine, too. */
    private static void tellHowBusy() throws InterruptedException {
        var busy = processors(2_000);
        System.out.println("processors: " + busy);
        System.out.println("idle: " + (busy < 0.1));
    }

    /** Something else in this process keeps all files. */
    private static void useUpAll(Server server) throws Exception {
        var failure = new CountDownLatch(1);
        logged(failure::countDown);
        var waiting = new ArrayList<Socket>();
        for (int i = 0; i < 3; i++) {
            var socket = new Socket();
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            waiting.add(socket);
        }
        var files = new ArrayList<FileInputStream>();
        try {
            while (true) {
                files.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException noMore) {
            System.out.println("no more files");
        }
        for (var socket : waiting) {
            socket.connect(server.address());
        }
        failure.await();
        tellHowBusy();
        for (var file : files) {
            file.close();
        }
    }

    /** Calls an action whenever the server has logged that it could not accept. */
    private static void logged(Runnable action) {
        var appender = new AppenderBase<ILoggingEvent>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (event.getFormattedMessage().contains("accept")) {
                    action.run();
                }
            }
        };
        appender.start();
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).addAppender(appender);
    }

    /** How many processors this process has used in the time to come. */
    private static double processors(long millis) throws InterruptedException {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var began = System.nanoTime();
        var used = system.getProcessCpuTime();
        Thread.sleep(millis);
        return (system.getProcessCpuTime() - used)
                / (double) Math.max(1, System.nanoTime() - began + TimeUnit.MILLISECONDS.toNanos(1));
    }
}
