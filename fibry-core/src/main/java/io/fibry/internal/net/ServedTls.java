package io.fibry.internal.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.HandshakeCompletedListener;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A TLS socket for a worker. It delegates to the JDK's, which is connected and has shaken hands; its input is a {@link
 * ServedInput}.
 */
@SuppressWarnings("NullAway") // passes on what the JDK gives, and takes
final class ServedTls extends SSLSocket {
    private final SSLSocket tls;
    private final AtomicReference<@Nullable ServedInput> input = new AtomicReference<>();

    ServedTls(SSLSocket tls) {
        this.tls = tls;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return ServedInput.of(input, this, tls.getInputStream(), () -> {
            // the socket below records that something has moved
        });
    }

    @Override
    public <T> SSLSocket setOption(SocketOption<T> name, T value) throws IOException {
        tls.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return tls.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return tls.supportedOptions();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return tls.getSupportedCipherSuites();
    }

    @Override
    public String[] getEnabledCipherSuites() {
        return tls.getEnabledCipherSuites();
    }

    @Override
    public void setEnabledCipherSuites(String[] suites) {
        tls.setEnabledCipherSuites(suites);
    }

    @Override
    public String[] getSupportedProtocols() {
        return tls.getSupportedProtocols();
    }

    @Override
    public String[] getEnabledProtocols() {
        return tls.getEnabledProtocols();
    }

    @Override
    public void setEnabledProtocols(String[] protocols) {
        tls.setEnabledProtocols(protocols);
    }

    @Override
    public SSLSession getSession() {
        return tls.getSession();
    }

    @Override
    public void addHandshakeCompletedListener(HandshakeCompletedListener listener) {
        tls.addHandshakeCompletedListener(listener);
    }

    @Override
    public void removeHandshakeCompletedListener(HandshakeCompletedListener listener) {
        tls.removeHandshakeCompletedListener(listener);
    }

    @Override
    public void startHandshake() throws IOException {
        tls.startHandshake();
    }

    @Override
    public void setUseClientMode(boolean mode) {
        tls.setUseClientMode(mode);
    }

    @Override
    public boolean getUseClientMode() {
        return tls.getUseClientMode();
    }

    @Override
    public void setNeedClientAuth(boolean need) {
        tls.setNeedClientAuth(need);
    }

    @Override
    public boolean getNeedClientAuth() {
        return tls.getNeedClientAuth();
    }

    @Override
    public void setWantClientAuth(boolean want) {
        tls.setWantClientAuth(want);
    }

    @Override
    public boolean getWantClientAuth() {
        return tls.getWantClientAuth();
    }

    @Override
    public void setEnableSessionCreation(boolean flag) {
        tls.setEnableSessionCreation(flag);
    }

    @Override
    public boolean getEnableSessionCreation() {
        return tls.getEnableSessionCreation();
    }

    @Override
    public SSLParameters getSSLParameters() {
        return tls.getSSLParameters();
    }

    @Override
    public void setSSLParameters(SSLParameters parameters) {
        tls.setSSLParameters(parameters);
    }

    @Override
    public String getApplicationProtocol() {
        return tls.getApplicationProtocol();
    }

    @Override
    public InetAddress getInetAddress() {
        return tls.getInetAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        return tls.getLocalAddress();
    }

    @Override
    public int getPort() {
        return tls.getPort();
    }

    @Override
    public int getLocalPort() {
        return tls.getLocalPort();
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return tls.getOutputStream();
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        tls.setTcpNoDelay(on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return tls.getTcpNoDelay();
    }

    @Override
    public void setSoLinger(boolean on, int seconds) throws SocketException {
        tls.setSoLinger(on, seconds);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return tls.getSoLinger();
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        tls.sendUrgentData(data);
    }

    @Override
    public void setOOBInline(boolean on) throws SocketException {
        tls.setOOBInline(on);
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        return tls.getOOBInline();
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        tls.setSoTimeout(millis);
    }

    @Override
    public int getSoTimeout() throws SocketException {
        return tls.getSoTimeout();
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        tls.setSendBufferSize(size);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return tls.getSendBufferSize();
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        tls.setReceiveBufferSize(size);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return tls.getReceiveBufferSize();
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        tls.setKeepAlive(on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return tls.getKeepAlive();
    }

    @Override
    public void setTrafficClass(int trafficClass) throws SocketException {
        tls.setTrafficClass(trafficClass);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return tls.getTrafficClass();
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        tls.setReuseAddress(on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return tls.getReuseAddress();
    }

    @Override
    public void close() throws IOException {
        tls.close();
    }

    @Override
    public void shutdownInput() throws IOException {
        tls.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        tls.shutdownOutput();
    }

    @Override
    public boolean isConnected() {
        return tls.isConnected();
    }

    @Override
    public boolean isBound() {
        return tls.isBound();
    }

    @Override
    public boolean isClosed() {
        return tls.isClosed();
    }

    @Override
    public boolean isInputShutdown() {
        return tls.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return tls.isOutputShutdown();
    }

    @Override
    public String toString() {
        return tls.toString();
    }
}
