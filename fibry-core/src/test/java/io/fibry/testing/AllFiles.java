package io.fibry.testing;

import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** All files that this process may still open. While this object has them, no class can be loaded. */
public final class AllFiles implements Closeable {
    private final List<FileInputStream> files = new ArrayList<>();

    /** Opens them. */
    public AllFiles() {
        try {
            while (true) {
                files.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException noMore) {
            System.out.println("no more files");
        }
    }

    /** Makes sockets that need no further file to connect. */
    public static List<Socket> sockets(int count) throws IOException {
        var sockets = new ArrayList<Socket>();
        for (int i = 0; i < count; i++) {
            var socket = new Socket();
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            sockets.add(socket);
        }
        return sockets;
    }

    @Override
    public void close() throws IOException {
        for (var file : files) {
            file.close();
        }
    }
}
