/// The interface files of this folder, as they are installed, inside the program.
public enum BusInterfaceFiles {
  public static let manager = String(decoding: PackageResources.org_chappie_Manager_xml, as: UTF8.self)
  public static let session = String(decoding: PackageResources.org_chappie_Session_xml, as: UTF8.self)
  public static let client = String(decoding: PackageResources.org_chappie_Client_xml, as: UTF8.self)
  public static let threads = String(decoding: PackageResources.org_chappie_Threads_xml, as: UTF8.self)
  public static let objectManager = String(
    decoding: PackageResources.org_freedesktop_DBus_ObjectManager_xml, as: UTF8.self)
}
